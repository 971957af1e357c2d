package io.uniserve.cli.daemon;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.Logging;
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
            "Runs a server: it hosts actors of the engines in --ports. SIGTERM drains it.",
            "Prints one line when it serves: ready server HOST:PORT pid N id ID"
        },
        footer = {
            "  uniserve server --config /etc/uniserve.conf --new --data /var/lib/uniserve --store /mnt/uniserve",
            "  uniserve server --config /etc/uniserve.conf --data /var/lib/uniserve --store /mnt/uniserve",
            "  uniserve server --new --host 127.0.0.1 --port 0 --data s1 --engines solr --zone rack-2",
            "  uniserve server --config /etc/uniserve.conf -S server.log-bytes-per-actor-max=8GiB"
        })
public final class ServerCommand extends CliCommand {
    @Mixin
    private MemberOptions options = new MemberOptions();

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The server's own directory: identity, logs, checkpoints.")
    private @Nullable String data;

    @Option(
            names = "--new",
            description =
                    "Start a new server if --data is missing or empty; without --new that is refused, because it may be a"
                            + " volume that is not mounted.")
    private boolean newData;

    @Option(
            names = "--store",
            paramLabel = "DIR",
            description = "Durable store of backups and shipped logs; the same for all servers.")
    private @Nullable String store;

    @Option(
            names = "--take-over-store",
            description =
                    "Take ownership of the data that a lost cluster of the same name left in --store. For one start, after"
                            + " every process of that cluster has ended.")
    private boolean takeOverStore;

    @Option(names = "--engines", paramLabel = "ENGINE,...", description = "Engines to run, e.g. solr (default: kv).")
    private @Nullable String engines;

    @Option(names = "--ports", paramLabel = "ENGINE,...", hidden = true, description = "Deprecated name of --engines.")
    private @Nullable String ports;

    @Option(names = "--ports-dir", paramLabel = "DIR", description = "Directory of the ports' folders.")
    private @Nullable String portsDirectory;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "Zone of this server; replicas are spread over zones (default: default).")
    private @Nullable String zone;

    @Option(
            names = "--trash-all-unknown",
            description = "Move all replicas of this server to the trash if ZooKeeper has none of their tables."
                    + " Without it such a server does not start.")
    private boolean trashAllUnknown;

    @Override
    public Integer call() throws Exception {
        Logging.daemon();
        SettingOverrides own = new SettingOverrides()
                .with("server.data-dir", data)
                .with("server.new-data-dir", newData ? "true" : null)
                .with("storage.location", store)
                .with("storage.take-over", takeOverStore ? "true" : null)
                .with("server.engines", renamedOrNull("--engines", engines, "--ports", ports))
                .with("server.ports-dir", portsDirectory)
                .with("server.zone", zone)
                .with("server.trash-all-unknown", trashAllUnknown ? "true" : null);
        Settings settings = options.load("server", own);
        ForegroundDaemonRunner foreground = new ForegroundDaemonRunner(console());
        ServerDaemon daemon = ServerDaemon.start(settings, foreground::failed);
        return foreground.serve(
                ForegroundDaemonRunner.readyLine("server", daemon.address()) + " id " + daemon.id(),
                daemon::drainAndClose,
                daemon,
                settings.server().drainTimeout().plus(settings.server().stopGrace()));
    }
}
