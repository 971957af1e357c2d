package io.uniserve.cli.security;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.security.CertificateAuthority;
import java.nio.file.Path;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve security init}. */
@Command(
        name = "init",
        description = {
            "Makes a private certificate authority of a cluster: DIR/authority.pem and DIR/authority.key.",
            "The key makes valid certificates of every process and user: keep the folder on a machine of its own."
        },
        footer = "  uniserve security init authority --cluster main")
final class SecurityInitCommand extends CliCommand {
    @Parameters(paramLabel = "DIR", description = "Folder of the authority, which is made.")
    private Path folder = Path.of("");

    @Option(names = "--cluster", paramLabel = "NAME", description = "Name of the cluster (default: uniserve).")
    private String cluster = "uniserve";

    @Override
    public Integer call() {
        Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
        CertificateAuthority authority = CertificateAuthority.create(folder, cluster, now);
        console()
                .println("authority of cluster " + authority.cluster() + " in " + folder + ", valid for "
                        + CertificateAuthority.VALIDITY.toDays() + " days");
        console().println("next: uniserve security issue server NAME --authority " + folder + " --out FOLDER");
        return ExitCode.OK;
    }
}
