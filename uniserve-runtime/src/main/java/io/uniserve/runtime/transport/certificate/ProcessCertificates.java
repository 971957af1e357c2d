package io.uniserve.runtime.transport.certificate;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.runtime.security.CertificateRenewer;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Answers about the certificate of this process; with an authority it renews those of others. Thread-safe. */
public final class ProcessCertificates implements CertificateHandler {
    private final ReloadingTls tls;
    private final Optional<CertificateSigner> authority;
    private final Duration before;
    private final BooleanSupplier leads;

    /** Creates the answers of a process without an authority. */
    public ProcessCertificates(ReloadingTls tls) {
        this(tls, Optional.empty(), Duration.ZERO, () -> false);
    }

    /**
     * Creates the answers of a coordinator.
     *
     * @param before time before the end of a certificate from which on it is renewed
     * @param leads true while this coordinator leads; others may have old revocations
     */
    public ProcessCertificates(
            ReloadingTls tls, Optional<CertificateSigner> authority, Duration before, BooleanSupplier leads) {
        this.tls = tls;
        this.authority = authority;
        this.before = before;
        this.leads = leads;
    }

    @Override
    public CertificateStatus describe() {
        return tls.status();
    }

    @Override
    public String renew(X509Certificate current, PublicKey key) {
        CertificateSigner signer = authority.orElseThrow(() -> new UniserveException(
                ErrorCode.UNSUPPORTED,
                "this process has no authority: set security.renewal.authority on the coordinators, or replace the"
                        + " files of the certificate by those of uniserve security issue"));
        if (!leads.getAsBoolean()) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, "this coordinator does not lead: ask the leader");
        }
        if (!CertificateRenewer.isDue(current, before, SystemClock.INSTANCE.wallMillis())) {
            throw UniserveException.invalid("the certificate is not due: it ends at "
                    + current.getNotAfter().toInstant() + ", and security.renewal.before of the coordinator is "
                    + before + ", of which at most a third of the certificate's validity counts");
        }
        return signer.sign(current, key);
    }
}
