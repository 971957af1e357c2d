package io.uniserve.cli.daemon;

import io.uniserve.cli.CliCommand;
import io.uniserve.cli.Logging;
import io.uniserve.coordinator.CoordinatorDaemon;
import io.uniserve.runtime.config.Settings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code uniserve coordinator}. */
@Command(
        name = "coordinator",
        description = {
            "Runs a coordinator. Several may run for a cluster: one leads, the others stand by.",
            "Prints one line when it serves: ready coordinator HOST:PORT pid N"
        },
        footer = {
            "  uniserve coordinator --zookeeper zk1:2181,zk2:2181,zk3:2181 --cluster search",
            "  uniserve coordinator --config /etc/uniserve.conf -S coordinator.restore-delay=1m"
        })
public final class CoordinatorCommand extends CliCommand {
    @Mixin
    private DaemonOptions options = new DaemonOptions();

    @Option(names = "--host", paramLabel = "HOST", description = "Interface to listen on (default: 0.0.0.0).")
    private @Nullable String host;

    @Option(names = "--port", paramLabel = "PORT", description = "0 takes any free one (default: 7070).")
    private @Nullable Integer port;

    @Option(names = "--advertised-host", paramLabel = "HOST", description = "Name or address that others are told.")
    private @Nullable String advertisedHost;

    @Option(
            names = "--zookeeper",
            paramLabel = "HOST:PORT,...",
            description = "The ZooKeeper ensemble (default: localhost:2181).")
    private @Nullable String zookeeper;

    @Option(names = "--cluster", paramLabel = "NAME", description = "The cluster's name (default: uniserve).")
    private @Nullable String cluster;

    @Override
    public Integer call() throws Exception {
        Logging.daemon();
        Settings settings = options.load(new Overrides()
                .with("coordinator.host", host)
                .with("coordinator.port", port)
                .with("coordinator.advertised-host", advertisedHost)
                .with("zookeeper.connect", zookeeper)
                .with("cluster", cluster)
                .values());
        Foreground foreground = new Foreground(console());
        CoordinatorDaemon daemon = CoordinatorDaemon.start(settings, foreground::failed);
        return foreground.serve(Foreground.line("coordinator", daemon.address()), daemon);
    }
}
