package io.uniserve.runtime.transport.certificate;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.runtime.security.CertificateRenewer;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** Answers about the certificate of this process; with an authority it renews those of others. Thread-safe. */
public final class ProcessCertificates implements CertificateHandler {
    private final ReloadingTls tls;
    private final Optional<CertificateSigner> authority;
    private final Duration before;
    private final Predicate<String> users;
    private final BooleanSupplier leads;

    /** Creates the answers of a process without an authority. */
    public ProcessCertificates(ReloadingTls tls) {
        this(tls, Optional.empty(), Duration.ZERO, user -> false, () -> false);
    }

    /**
     * Creates the answers of a coordinator.
     *
     * @param before time before the end of a certificate from which on it is renewed
     * @param users true for the name of a user whose certificates are renewed
     * @param leads true while this coordinator leads; others may have old revocations
     */
    public ProcessCertificates(
            ReloadingTls tls,
            Optional<CertificateSigner> authority,
            Duration before,
            Predicate<String> users,
            BooleanSupplier leads) {
        this.tls = tls;
        this.authority = authority;
        this.before = before;
        this.users = users;
        this.leads = leads;
    }

    @Override
    public CertificateStatus describe() {
        return tls.status();
    }

    @Override
    public X509Certificate checkRenewable(Optional<X509Certificate> current) {
        X509Certificate certificate = current.orElseThrow(
                () -> UniserveException.invalid("the caller has no certificate, so there is none to renew"));
        signer();
        if (!leads.getAsBoolean()) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, "this coordinator does not lead: ask the leader");
        }
        checkIdentity(certificate);
        if (!CertificateRenewer.isDue(certificate, before, SystemClock.INSTANCE.wallMillis())) {
            throw UniserveException.invalid("the certificate is not due: it ends at "
                    + certificate.getNotAfter().toInstant() + ", and security.renewal.before of the coordinator is "
                    + before + ", of which at most a third of the certificate's validity counts");
        }
        return certificate;
    }

    private CertificateSigner signer() {
        return authority.orElseThrow(() -> new UniserveException(
                ErrorCode.UNSUPPORTED,
                "this process has no authority: set security.renewal.authority on the coordinators, or replace the"
                        + " files of the certificate by those of uniserve security issue"));
    }

    private void checkIdentity(X509Certificate certificate) {
        CertifiedIdentity identity = CertifiedIdentity.of(certificate)
                .orElseThrow(() -> new UniserveException(ErrorCode.UNAUTHORIZED, "the certificate has no identity"));
        switch (identity.kind()) {
            case SERVER -> {}
            case USER -> {
                if (!users.test(identity.name())) {
                    throw new UniserveException(
                            ErrorCode.UNAUTHORIZED,
                            "certificates of user " + identity.name() + " are not renewed here: add the name to"
                                    + " security.renewal.users of the coordinators, or use uniserve security issue");
                }
            }
            case ZOOKEEPER ->
                throw new UniserveException(ErrorCode.UNAUTHORIZED, "certificates of ZooKeeper are not renewed");
        }
    }

    @Override
    public String renew(X509Certificate current, PublicKey key) {
        return signer().sign(checkRenewable(Optional.of(current)), key);
    }
}
