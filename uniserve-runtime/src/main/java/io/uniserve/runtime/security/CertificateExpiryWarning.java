package io.uniserve.runtime.security;

import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Warning that a process's or user's certificate ends soon: in its last tenth, at most in the last seven days, and once per day. A
 * certificate that is renewed seven days before its end or earlier has none. Not thread-safe.
 */
final class CertificateExpiryWarning {
    private static final Duration LAST = Duration.ofDays(7);
    private static final int TENTH = 10;
    private static final long AGAIN_MILLIS = Duration.ofDays(1).toMillis();

    private Optional<X509Certificate> warned = Optional.empty();
    private long warnedMillis;

    /**
     * The warning that is due now.
     *
     * @param leaf certificate in use
     * @param files where it is from
     */
    Optional<String> due(X509Certificate leaf, TlsFiles files, long wallMillis) {
        long end = leaf.getNotAfter().getTime();
        long tenth = (end - leaf.getNotBefore().getTime()) / TENTH;
        boolean again = warned.filter(leaf::equals).isPresent() && wallMillis - warnedMillis < AGAIN_MILLIS;
        if (end - wallMillis >= Math.min(LAST.toMillis(), tenth) || again) {
            return Optional.empty();
        }
        warned = Optional.of(leaf);
        warnedMillis = wallMillis;
        String owner = CertifiedIdentity.of(leaf).map(one -> " of " + one).orElse("");
        return Optional.of("the certificate" + owner + (end > wallMillis ? " ends at " : " has ended at ")
                + Instant.ofEpochMilli(end).truncatedTo(ChronoUnit.SECONDS) + ": replace "
                + files.certificate().map(Path::toString).orElse("tls.certificate-file")
                + " and its key by those of uniserve security issue, without a restart");
    }
}
