package io.uniserve.cli;

import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.cluster.ConnectOptions;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Base class of subcommands that connect to a cluster as a client. */
public abstract class ClientCommand extends CliCommand {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Take the sections client and tls of this configuration; options override it (environment:"
                    + " UNISERVE_CONFIG).")
    private @Nullable Path config;

    @Option(
            names = "--tls-trust",
            paramLabel = "FILE",
            description = "Encrypt; trust the authorities in this PEM file.")
    private @Nullable Path trust;

    @Option(
            names = "--tls-certificate",
            paramLabel = "FILE",
            description = "Certificate to show, PEM; with --tls-trust and --tls-key.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The certificate's private key, PKCS#8 PEM.")
    private @Nullable Path key;

    /** Connects to the cluster, by {@code --bootstrap} or the configuration. */
    protected final ClusterClient connect() {
        Uniserve uniserve = (Uniserve) root();
        Optional<Path> file = configFile();
        return uniserve.connector().connect(new ConnectOptions(uniserve.bootstrap(file.isPresent()), file, tlsFiles()));
    }

    private Optional<Path> configFile() {
        String environment = System.getenv("UNISERVE_CONFIG");
        return config == null && environment != null && !environment.isBlank()
                ? Optional.of(Path.of(environment))
                : Optional.ofNullable(config);
    }

    private Optional<TlsFiles> tlsFiles() {
        if ((certificate == null) != (key == null)) {
            throw usageError("--tls-certificate and --tls-key go together: give both");
        }
        if (trust == null && certificate != null) {
            throw usageError(
                    "--tls-certificate needs --tls-trust: name the authorities that signed the servers' certificates");
        }
        return trust == null
                ? Optional.empty()
                : Optional.of(new TlsFiles(
                        true, Optional.ofNullable(certificate), Optional.ofNullable(key), Optional.of(trust), false));
    }
}
