package io.uniserve.runtime.security;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Identity in a certificate: a URI among its alternative names, {@code uniserve://CLUSTER/KIND/NAME}. What a caller says of itself is no part
 * of it. Immutable.
 *
 * <pre>{@code
 * Optional<CertifiedIdentity> caller = CertifiedIdentity.of(certificate); // uniserve://main/user/ann
 * }</pre>
 *
 * @param cluster cluster that the identity is of
 * @param name name of the process or user, unique in its kind
 */
public record CertifiedIdentity(String cluster, Kind kind, String name) {
    /** Scheme of the URI. */
    public static final String SCHEME = "uniserve";

    private static final int URI_NAME = 6;
    private static final Pattern FORM = Pattern.compile(
            SCHEME + "://([A-Za-z0-9._-]{1,64})/(server|user|zookeeper)/([A-Za-z0-9_][A-Za-z0-9._-]{0,63})");

    /** Kind of an identity. */
    public enum Kind {
        /** A server or a coordinator. */
        SERVER,
        USER,
        /** A server of ZooKeeper, which no process of Uniserve accepts as its caller or server. */
        ZOOKEEPER;

        /** The kind in a URI. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** True if the identity can be written as a URI: the name and the cluster have letters, digits, dots and dashes. */
    public boolean isValid() {
        return FORM.matcher(uri()).matches();
    }

    /** Kind and name, such as {@code user/ann}. */
    public String principal() {
        return kind.text() + "/" + name;
    }

    /** The identity as a URI. */
    public String uri() {
        return SCHEME + "://" + cluster + "/" + kind.text() + "/" + name;
    }

    /** The identity in the certificate; empty if it has none, more than one, or a damaged one. */
    public static Optional<CertifiedIdentity> of(X509Certificate certificate) {
        Collection<List<?>> names;
        try {
            names = certificate.getSubjectAlternativeNames();
        } catch (CertificateParsingException e) {
            return Optional.empty(); // such a certificate identifies nothing
        }
        List<String> uris = names == null
                ? List.of()
                : names.stream()
                        .filter(name -> Integer.valueOf(URI_NAME).equals(name.get(0)))
                        .map(name -> String.valueOf(name.get(1)))
                        .filter(uri -> uri.startsWith(SCHEME + ":"))
                        .toList();
        return uris.size() == 1 ? parse(uris.get(0)) : Optional.empty();
    }

    private static Optional<CertifiedIdentity> parse(String uri) {
        Matcher parts = FORM.matcher(uri);
        return parts.matches()
                ? Optional.of(new CertifiedIdentity(
                        parts.group(1), Kind.valueOf(parts.group(2).toUpperCase(Locale.ROOT)), parts.group(3)))
                : Optional.empty();
    }

    /** The URI. */
    @Override
    public String toString() {
        return uri();
    }
}
