package io.uniserve.cli.daemon;

import io.uniserve.cli.CliCommand;
import io.uniserve.cli.Logging;
import io.uniserve.runtime.config.Settings;
import io.uniserve.server.ServerDaemon;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code uniserve server}. */
@Command(
        name = "server",
        description = {
            "Runs a server: it hosts actors of the engines it is given as ports. SIGTERM drains it.",
            "Prints one line when it serves: ready server HOST:PORT pid N id ID"
        },
        footer = {
            "  uniserve server --ports solr --data /var/lib/uniserve --store /mnt/uniserve --zookeeper zk1:2181",
            "  uniserve server --port 0 --data data/s1 --store data/store --zone rack-2",
            "  uniserve server --config /etc/uniserve.conf -S server.log-bytes-per-actor-max=8GiB"
        })
public final class ServerCommand extends CliCommand {
    @Mixin
    private DaemonOptions options = new DaemonOptions();

    @Option(names = "--host", paramLabel = "HOST", description = "Interface to listen on (default: 0.0.0.0).")
    private @Nullable String host;

    @Option(names = "--port", paramLabel = "PORT", description = "0 takes any free one (default: 7071).")
    private @Nullable Integer port;

    @Option(names = "--advertised-host", paramLabel = "HOST", description = "Name or address that others are told.")
    private @Nullable String advertisedHost;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The server's own directory: identity, logs, checkpoints.")
    private @Nullable String data;

    @Option(
            names = "--store",
            paramLabel = "DIR",
            description = "Durable store of backups and shipped logs; the same one for all servers.")
    private @Nullable String store;

    @Option(names = "--ports", paramLabel = "PORT,...", description = "Engines to run, e.g. solr (default: kv).")
    private @Nullable String ports;

    @Option(names = "--ports-dir", paramLabel = "DIR", description = "Where the ports' folders are.")
    private @Nullable String portsDirectory;

    @Option(names = "--zone", paramLabel = "ZONE", description = "Copies are spread over zones (default: default).")
    private @Nullable String zone;

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
                .with("server.host", host)
                .with("server.port", port)
                .with("server.advertised-host", advertisedHost)
                .with("server.data-dir", data)
                .with("storage.directory", store)
                .with("server.ports", ports)
                .with("server.ports-dir", portsDirectory)
                .with("server.zone", zone)
                .with("zookeeper.connect", zookeeper)
                .with("cluster", cluster)
                .values());
        Foreground foreground = new Foreground(console());
        ServerDaemon daemon = ServerDaemon.start(settings, foreground::failed);
        return foreground.serve(
                Foreground.line("server", daemon.address()) + " id " + daemon.id(), daemon::drainAndClose, daemon);
    }
}
