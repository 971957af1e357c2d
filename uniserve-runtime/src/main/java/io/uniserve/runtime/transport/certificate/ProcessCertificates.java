package io.uniserve.runtime.transport.certificate;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.runtime.security.ReloadingTls;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.Optional;

/** Answers about the certificate of this process; with an authority it renews those of others. Thread-safe. */
public final class ProcessCertificates implements CertificateHandler {
    private final ReloadingTls tls;
    private final Optional<LeafSigner> authority;

    /** Creates the answers. */
    public ProcessCertificates(ReloadingTls tls, Optional<LeafSigner> authority) {
        this.tls = tls;
        this.authority = authority;
    }

    @Override
    public CertificateStatus describe() {
        return tls.status();
    }

    @Override
    public String renew(X509Certificate current, PublicKey key) {
        return authority
                .orElseThrow(() -> new UniserveException(
                        ErrorCode.UNSUPPORTED,
                        "this process has no authority: set security.renewal.authority on the coordinators, or replace the"
                                + " files of the certificate by those of uniserve security issue"))
                .sign(current, key);
    }
}
