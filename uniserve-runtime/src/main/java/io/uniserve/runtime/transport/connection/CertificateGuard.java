package io.uniserve.runtime.transport.connection;

import io.uniserve.runtime.security.CertificateSubject;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.transport.access.AccessControl;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes open connections of callers whose certificate has ended, was revoked, or is covered by no authority any more. New ones are refused by
 * the handshake, or at their calls. Thread-safe; does not block.
 */
public final class CertificateGuard {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateGuard.class);

    private final ConnectionTracker connections;
    private final ReloadingTls tls;
    private final AccessControl access;

    /** Creates a guard of these connections. */
    public CertificateGuard(ConnectionTracker connections, ReloadingTls tls, AccessControl access) {
        this.connections = connections;
        this.tls = tls;
        this.access = access;
    }

    /** Closes connections whose certificate has ended or was revoked. */
    public void check() {
        long now = SystemClock.INSTANCE.wallMillis();
        close(chain -> chain.get(0).getNotAfter().getTime() < now, "its certificate has ended");
        close(
                chain -> access.revocation(CertificateSubject.of(chain.get(0))).isPresent(),
                "its certificate is revoked");
    }

    /** Closes connections whose certificate no authority of the trust file covers. */
    public void checkTrust() {
        close(chain -> !tls.accepts(chain), "no authority of tls.trust-file covers its certificate");
    }

    private void close(Predicate<List<X509Certificate>> refused, String why) {
        for (List<X509Certificate> chain : connections.closeIf(refused)) {
            X509Certificate leaf = chain.get(0);
            String principal = CertifiedIdentity.of(leaf)
                    .map(CertifiedIdentity::principal)
                    .orElse(leaf.getSubjectX500Principal().getName());
            LOG.info("a connection of {} is closed: {}", principal, why);
            access.audit().refused(principal, "", "Connect", "", why);
        }
    }
}
