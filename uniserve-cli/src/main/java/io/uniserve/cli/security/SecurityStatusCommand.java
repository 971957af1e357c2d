package io.uniserve.cli.security;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.status.CertificatePrinter;
import io.uniserve.client.ProcessCertificate;
import io.uniserve.runtime.time.SystemClock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code uniserve security status}. */
@Command(
        name = "status",
        description = {
            "Shows the certificates of all servers and of the leading coordinator, the authorities that they trust, and the"
                    + " step of a change of the authority. Standby coordinators are not shown.",
            "Exit code 1 if a process did not answer."
        },
        footer = {"  uniserve security status", "  uniserve security status -o json"})
final class SecurityStatusCommand extends ClientCommand {
    @Override
    public Integer call() {
        try (ClusterClient cluster = connect()) {
            List<ProcessCertificate> processes = cluster.certificates();
            if (global().isJson()) {
                Map<String, Object> object = new LinkedHashMap<>();
                object.put("step", CertificatePrinter.step(processes));
                object.put("processes", CertificatePrinter.json(processes));
                console().json(object);
            } else if (processes.stream()
                    .flatMap(process -> process.status().stream())
                    .allMatch(status -> status.endMillis() == 0)) {
                console().println("no process has a certificate: the cluster is in mode open without TLS");
            } else {
                new CertificatePrinter(console(), SystemClock.INSTANCE.wallMillis()).print(processes);
            }
            boolean whole =
                    processes.stream().allMatch(process -> process.error().isEmpty());
            return whole ? ExitCode.OK : ExitCode.NOT_PASSED;
        }
    }
}
