package io.uniserve.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.ProcessCertificate;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.model.access.CertificateStatus.Authority;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The certificates of a cluster as {@code security status} shows them, at each step of a change of the authority. */
class CertificatePrinterTest {
    private static final Authority OLD = new Authority("sha256:" + "0a".repeat(32), 1_000);
    private static final Authority NEW = new Authority("sha256:" + "0b".repeat(32), 2_000);
    private static final Address ADDRESS = new Address("localhost", 7000);

    private static ProcessCertificate process(String name, Authority signer, Authority... trusted) {
        CertificateStatus status = new CertificateStatus(
                "uniserve://main/server/" + name,
                Long.MAX_VALUE / 1_000_000,
                signer.fingerprint(),
                List.of(trusted),
                0,
                3);
        return new ProcessCertificate(name, ADDRESS, Optional.of(status), Optional.empty());
    }

    private static String step(ProcessCertificate... processes) {
        return CertificatePrinter.step(List.of(processes));
    }

    @Test
    void namesEachStep() {
        assertThat(step(process("a", OLD, OLD), process("b", OLD, OLD))).endsWith("the only one");
        assertThat(step(process("a", OLD, OLD, NEW), process("b", OLD, OLD)))
                .contains("sha256:0b0b0b0b0b0b", "step 1 of 3, 1 of 2");
        assertThat(step(process("a", OLD, OLD, NEW), process("b", OLD, NEW, OLD)))
                .contains("step 2 of 3, 0 of 2");
        assertThat(step(process("a", NEW, OLD, NEW), process("b", OLD, OLD, NEW)))
                .contains("step 2 of 3, 1 of 2");
        assertThat(step(process("a", NEW, OLD, NEW), process("b", NEW, OLD, NEW)))
                .contains("step 3 of 3, 0 of 2");
        assertThat(step(process("a", NEW, NEW), process("b", NEW, OLD, NEW))).contains("step 3 of 3, 1 of 2");
        assertThat(step(process("a", NEW, NEW), process("b", NEW, NEW))).endsWith("the only one");
        assertThat(step()).isEqualTo("authority: none");
        ProcessCertificate silent = new ProcessCertificate(
                "c", ADDRESS, Optional.empty(), Optional.of(new UniserveException(ErrorCode.UNAVAILABLE, "silent")));
        assertThat(step(process("a", NEW, OLD, NEW), process("b", NEW, OLD, NEW), silent))
                .as("a process that does not answer has made no step")
                .contains("step 1 of 3, 2 of 3");
        assertThat(step(process("a", NEW, NEW), silent)).contains("1 of 2 processes");
    }

    private static Run run(List<ProcessCertificate> certificates, String... arguments) {
        TestingClusterClient cluster = new TestingClusterClient();
        cluster.certificates = certificates;
        return new TestingConsole(bootstrap -> cluster)
                .run(Stream.concat(Stream.of("security", "status"), Stream.of(arguments))
                        .toArray(String[]::new));
    }

    @Test
    void aProcessThatDoesNotAnswerIsNamed() {
        ProcessCertificate silent = new ProcessCertificate(
                "s2",
                ADDRESS,
                Optional.empty(),
                Optional.of(new UniserveException(ErrorCode.UNAVAILABLE, "no connection")));
        Run run = run(List.of(process("s1", OLD, OLD), silent));
        assertThat(run.out())
                .contains(
                        "uniserve://main/server/s1",
                        "sha256:0a0a0a0a0a0a",
                        "certificate of s2 is unknown: no connection");
        assertThat(run.exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(run(List.of(silent), "-o", "json").out()).contains("\"error\":\"no connection\"");
    }

    @Test
    void aClusterWithoutCertificatesSaysSo() {
        CertificateStatus none = new CertificateStatus("", 0, "", List.of(), 0, 0);
        Run run = run(List.of(new ProcessCertificate("s1", ADDRESS, Optional.of(none), Optional.empty())));
        assertThat(run.out()).contains("no process has a certificate");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
    }
}
