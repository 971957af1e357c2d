package io.uniserve.cli.daemon;

import io.uniserve.runtime.config.Settings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of daemons that are members of a cluster: the listening address and the cluster. */
final class MemberOptions {
    @Mixin
    private DaemonOptions options = new DaemonOptions();

    @Option(
            names = "--host",
            paramLabel = "HOST",
            description =
                    "Interface to listen on (default: 0.0.0.0, which needs the section tls or security.mode=open).")
    private @Nullable String host;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "0 takes any free one (default: 7070 of a coordinator, 7071 of a server).")
    private @Nullable Integer port;

    @Option(
            names = "--advertised-host",
            paramLabel = "HOST",
            description = "Name or address that is published to other processes.")
    private @Nullable String advertisedHost;

    @Option(
            names = "--zookeeper",
            paramLabel = "HOST:PORT,...",
            description = "The ZooKeeper ensemble (default: localhost:2181).")
    private @Nullable String zookeeper;

    @Option(names = "--cluster", paramLabel = "NAME", description = "The cluster's name (default: uniserve).")
    private @Nullable String cluster;

    /**
     * Returns the whole configuration.
     *
     * @param section the daemon's own section, {@code server} or {@code coordinator}
     * @param more options that only this daemon has
     */
    Settings load(String section, SettingOverrides more) {
        return options.load(more.with(section + ".host", host)
                .with(section + ".port", port)
                .with(section + ".advertised-host", advertisedHost)
                .with("zookeeper.connect", zookeeper)
                .with("cluster", cluster)
                .values());
    }
}
