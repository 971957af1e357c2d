package io.uniserve.runtime.registry;

import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.ZooKeeperSettings;
import io.uniserve.runtime.registry.access.ZooKeeperSecurity;

/**
 * Options of a connection to ZooKeeper.
 *
 * @param connect ZooKeeper's addresses, {@code host:port,host:port}
 * @param cluster name of the cluster; all its nodes are below {@code /uniserve/<cluster>}
 * @param sessionMillis requested session time-out
 * @param waitMillis time that an operation waits for a connection before it fails with UNAVAILABLE
 * @param security identity and TLS; only the identity can read and change new nodes
 */
public record RegistryOptions(
        String connect, String cluster, int sessionMillis, int waitMillis, ZooKeeperSecurity security) {
    public RegistryOptions {
        if (connect.isBlank() || connect.indexOf('/') >= 0) {
            throw UniserveException.invalid(
                    "ZooKeeper address \"" + connect + "\": use host:port, several joined by commas, without a path");
        }
        if (!cluster.matches("[A-Za-z0-9][A-Za-z0-9_-]{0,63}")) {
            throw UniserveException.invalid(
                    "cluster name: use 1 to 64 characters of A-Z a-z 0-9 _ -, the first a letter or digit");
        }
        if (sessionMillis < 100 || waitMillis < 1) {
            throw UniserveException.invalid("ZooKeeper session of " + sessionMillis + " ms, wait of " + waitMillis
                    + " ms: use at least 100 ms and 1 ms");
        }
    }

    /** Returns options with a session of 6 s, a wait of 3 s, no identity and no TLS. */
    public static RegistryOptions of(String connect, String cluster) {
        return new RegistryOptions(connect, cluster, 6_000, 3_000, ZooKeeperSecurity.NONE);
    }

    /**
     * Returns the options of a process, and reads the files of its identity.
     *
     * @param sessionMillis requested session time-out
     * @throws UniserveException INVALID_CONFIGURATION if a file cannot be used
     */
    public static RegistryOptions of(ZooKeeperSettings settings, long sessionMillis) {
        return new RegistryOptions(
                settings.connect(),
                settings.cluster(),
                (int) sessionMillis,
                (int) settings.connectTimeout().toMillis(),
                ZooKeeperSecurity.of(settings));
    }

    /** Root node of the cluster. */
    String root() {
        return "/uniserve/" + cluster;
    }

    /** Omits the password. */
    @Override
    public String toString() {
        return connect + root() + (security.tls().isPresent() ? " over TLS" : "") + " as " + security.identity();
    }
}
