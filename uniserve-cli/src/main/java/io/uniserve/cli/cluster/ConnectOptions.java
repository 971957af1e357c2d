package io.uniserve.cli.cluster;

import io.uniserve.model.Address;
import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How a command reaches a cluster.
 *
 * @param bootstrap servers or coordinators to ask first; empty: those of the configuration
 * @param config a configuration file, whose sections {@code client} and {@code tls} count
 * @param tls what is shown and trusted; empty: as the configuration says
 */
public record ConnectOptions(List<Address> bootstrap, Optional<Path> config, Optional<TlsFiles> tls) {
    public ConnectOptions {
        bootstrap = List.copyOf(bootstrap);
    }

    /** Plain text to these addresses. */
    public static ConnectOptions to(List<Address> bootstrap) {
        return new ConnectOptions(bootstrap, Optional.empty(), Optional.empty());
    }
}
