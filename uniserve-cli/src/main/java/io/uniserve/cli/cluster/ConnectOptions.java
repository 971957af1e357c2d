package io.uniserve.cli.cluster;

import io.uniserve.model.Address;
import io.uniserve.runtime.security.UserPassword;
import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Connection options of a command.
 *
 * @param bootstrap servers or coordinators to connect to first; empty to use those of the configuration
 * @param config a configuration file, of which the sections {@code client} and {@code tls} are used
 * @param tls certificate and trusted authorities; empty to use those of the configuration
 * @param user user with its password; empty to use that of the configuration
 */
public record ConnectOptions(
        List<Address> bootstrap, Optional<Path> config, Optional<TlsFiles> tls, Optional<UserPassword> user) {
    public ConnectOptions {
        bootstrap = List.copyOf(bootstrap);
    }

    /** Returns options for unencrypted connections to these addresses. */
    public static ConnectOptions to(List<Address> bootstrap) {
        return new ConnectOptions(bootstrap, Optional.empty(), Optional.empty(), Optional.empty());
    }
}
