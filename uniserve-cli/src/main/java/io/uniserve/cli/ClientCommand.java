package io.uniserve.cli;

import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.cluster.ConnectOptions;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.runtime.config.ClientSettings;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.security.Passwords;
import io.uniserve.runtime.security.UserPassword;
import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.util.Map;
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

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "Log in as this user, with a password in place of a certificate; with --tls-trust.")
    private @Nullable String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description =
                    "File with the user's password as its only line (default: environment UNISERVE_PASSWORD, or ask).")
    private @Nullable Path passwordFile;

    /** Connects to the cluster, by {@code --bootstrap} or the configuration. */
    protected final ClusterClient connect() {
        Uniserve uniserve = (Uniserve) root();
        Optional<Path> file = configFile();
        return uniserve.connector()
                .connect(new ConnectOptions(uniserve.bootstrap(file.isPresent()), file, tlsFiles(), login(file)));
    }

    /** The user with its password; empty for none, and if the configuration has both. */
    private Optional<UserPassword> login(Optional<Path> file) {
        Optional<ClientSettings> configured =
                file.map(one -> Settings.load(file, Map.of()).client());
        Optional<String> configuredUser = configured.flatMap(ClientSettings::user);
        Optional<String> name = Optional.ofNullable(user).or(() -> configuredUser);
        if (name.isEmpty()) {
            if (passwordFile != null) {
                throw usageError("--password-file needs --user: name the user");
            }
            return Optional.empty();
        }
        if (passwordFile != null) {
            return Optional.of(new UserPassword(name.get(), Passwords.ofFile("--password-file", passwordFile)));
        }
        String environment = System.getenv("UNISERVE_PASSWORD");
        if (environment != null && !environment.isEmpty()) {
            return Optional.of(new UserPassword(name.get(), environment.toCharArray()));
        }
        if (configuredUser.equals(name)
                && configured.flatMap(ClientSettings::passwordFile).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(new UserPassword(
                name.get(),
                console()
                        .readPassword("Password of user " + name.get())
                        .orElseThrow(() -> usageError("user " + name.get()
                                + " needs a password: give --password-file FILE, or set UNISERVE_PASSWORD"))));
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
