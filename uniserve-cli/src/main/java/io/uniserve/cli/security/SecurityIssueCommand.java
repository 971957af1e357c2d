package io.uniserve.cli.security;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.runtime.security.CertifiedIdentity.Kind;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.security.CertificateAuthority;
import io.uniserve.security.CertificateFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve security issue}. */
@Command(
        name = "issue",
        description = {
            "Issues a certificate with the identity of a server, coordinator, user or ZooKeeper server: OUT/NAME.pem,"
                    + " OUT/NAME.key and OUT/trust.pem, for the settings tls.certificate-file, tls.key-file and"
                    + " tls.trust-file.",
            "Each kind has certificates of its own: those of a user or of ZooKeeper do not pass for a server's."
        },
        footer = {
            "  uniserve security issue server s1 --authority authority --out s1",
            "  uniserve security issue server c1 --host 10.0.0.3 --host c1.example.org --authority authority --out c1",
            "  uniserve security issue user ann --days 30 --authority authority --out ann",
            "  uniserve security issue zookeeper zk1 --host zk1.example.org --days 3650 --authority authority --out zk1"
        })
final class SecurityIssueCommand extends CliCommand {
    @Parameters(index = "0", paramLabel = "KIND", description = "server (also for coordinators), user or zookeeper.")
    private Kind kind = Kind.USER;

    @Parameters(index = "1", paramLabel = "NAME", description = "Name of the process, user or ZooKeeper server.")
    private String name = "";

    @Option(
            names = "--authority",
            paramLabel = "DIR",
            required = true,
            description = "Folder of the authority, from security init.")
    private Path authority = Path.of("");

    @Option(
            names = "--host",
            paramLabel = "HOST",
            description =
                    "Host name or address in the certificate; may be repeated. Required for zookeeper: the hosts of"
                            + " zookeeper.connect. Optional for server: Uniserve checks the identity, others such as"
                            + " Prometheus the host.")
    private @Nullable List<String> hosts;

    @Option(names = "--days", paramLabel = "N", description = "Days for which it is valid (default: 90).")
    private int days = 90;

    @Option(names = "--out", paramLabel = "FOLDER", description = "Folder of the files (default: .).")
    private Path out = Path.of(".");

    @Override
    public Integer call() {
        checkRange("--days", days, 1, CertificateAuthority.VALIDITY.toDays());
        if (kind == Kind.USER && hosts != null) {
            throw usageError("--host is for a server: no process connects to a user");
        }
        if (kind == Kind.ZOOKEEPER && hosts == null) {
            throw usageError(
                    "--host is missing: give each host of zookeeper.connect, as callers of ZooKeeper check it");
        }
        Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
        CertificateAuthority open = CertificateAuthority.open(authority);
        List<String> names = hosts == null ? List.of() : hosts;
        Duration validity = Duration.ofDays(days);
        CertificateFiles files = switch (kind) {
            case SERVER -> open.issueServer(name, names, now, validity, out);
            case USER -> open.issueUser(name, now, validity, out);
            case ZOOKEEPER -> open.issueZooKeeper(name, names, now, validity, out);
        };
        print(files);
        return ExitCode.OK;
    }

    private void print(CertificateFiles files) {
        if (global().isJson()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("certificate", files.certificate().toString());
            object.put("key", files.key().toString());
            object.put("trust", files.trust().toString());
            console().json(object);
        } else {
            console().println(kind == Kind.ZOOKEEPER ? "uniserve.zookeeper.embedded.tls {" : "uniserve.tls {");
            console().println("  enabled = true");
            console().println("  certificate-file = " + quoted(files.certificate()));
            console().println("  key-file = " + quoted(files.key()));
            console().println("  trust-file = " + quoted(files.trust()));
            console().println("}");
        }
    }

    /** The file as a value of the settings. */
    private static String quoted(Path file) {
        return '"'
                + file.toAbsolutePath()
                        .normalize()
                        .toString()
                        .replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                + '"';
    }
}
