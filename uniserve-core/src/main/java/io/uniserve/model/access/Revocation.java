package io.uniserve.model.access;

import io.uniserve.error.UniserveException;
import java.util.regex.Pattern;

/**
 * Rule that a certificate is not accepted any more, or none of an identity.
 *
 * @param subject {@code server/NAME} or {@code user/NAME} for all certificates of that identity, or {@code sha256:} and 64 hexadecimal digits
 *     for one certificate
 */
public record Revocation(String subject) implements Comparable<Revocation> {
    private static final Pattern FORM =
            Pattern.compile("(server|user)/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}|sha256:[0-9a-f]{64}");

    /** Fails with INVALID_ARGUMENT if the subject is malformed. */
    public Revocation {
        if (!FORM.matcher(subject).matches()) {
            throw UniserveException.invalid(
                    "subject of a revocation: use server/NAME, user/NAME, or sha256: and 64 digits of 0-9 and a-f");
        }
    }

    @Override
    public int compareTo(Revocation other) {
        return subject.compareTo(other.subject);
    }

    /** The subject. */
    @Override
    public String toString() {
        return subject;
    }
}
