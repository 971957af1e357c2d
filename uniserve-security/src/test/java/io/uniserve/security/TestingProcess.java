package io.uniserve.security;

import io.uniserve.limit.Limits;
import io.uniserve.runtime.audit.AuditOptions.FailurePolicy;
import io.uniserve.runtime.config.AuditSettings;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.access.AuditRecorder;
import java.nio.file.Path;
import java.util.Optional;

/** Parts of a process in mode closed, with the files of a real authority. */
final class TestingProcess {
    private TestingProcess() {}

    /** Settings of a process or user with these files. */
    static TlsFiles files(CertificateFiles of) {
        return new TlsFiles(true, Optional.of(of.certificate()), Optional.of(of.key()), Optional.of(of.trust()), false);
    }

    /** Opens an audit log in the directory; without it no change is made. */
    static AuditRecorder audit(Path directory, String process) {
        return AuditRecorder.open(
                new AuditSettings(
                        Optional.of(directory),
                        Limits.AUDIT_FILE_BYTES_DEFAULT,
                        Limits.AUDIT_FILES_DEFAULT,
                        FailurePolicy.REFUSE_CHANGES),
                process);
    }
}
