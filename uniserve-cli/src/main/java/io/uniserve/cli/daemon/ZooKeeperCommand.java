package io.uniserve.cli.daemon;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.Logging;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.ZooKeeperSettings.Embedded;
import io.uniserve.runtime.registry.EmbeddedZooKeeper;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code uniserve zookeeper}. */
@Command(
        name = "zookeeper",
        description = {
            "Runs one ZooKeeper server, for small clusters and trials; you may use your own ensemble instead.",
            "Prints one line when it serves: ready zookeeper HOST:PORT pid N"
        },
        footer = {
            "  uniserve zookeeper --data /var/lib/uniserve/zookeeper",
            "  uniserve zookeeper --port 0 -S zookeeper.embedded.tick=200ms",
            "  uniserve zookeeper --config zookeeper.conf -S zookeeper.embedded.tls.enabled=true"
        })
public final class ZooKeeperCommand extends CliCommand {
    @Mixin
    private DaemonOptions options = new DaemonOptions();

    @Option(names = "--host", paramLabel = "HOST", description = "Interface to listen on (default: 0.0.0.0).")
    private @Nullable String host;

    @Option(names = "--port", paramLabel = "PORT", description = "0 takes any free one (default: 2181).")
    private @Nullable Integer port;

    @Option(names = "--data", paramLabel = "DIR", description = "Its transaction log and snapshots.")
    private @Nullable String data;

    @Override
    public Integer call() throws Exception {
        Logging.daemon();
        Embedded settings = options.load(new SettingOverrides()
                        .with("zookeeper.embedded.host", host)
                        .with("zookeeper.embedded.port", port)
                        .with("zookeeper.embedded.data-dir", data)
                        .values())
                .zookeeper()
                .embedded();
        ForegroundDaemonRunner foreground = new ForegroundDaemonRunner(console());
        EmbeddedZooKeeper zookeeper =
                EmbeddedZooKeeper.start(settings, why -> foreground.failed(new UniserveException(ErrorCode.IO, why)));
        return foreground.serve(
                ForegroundDaemonRunner.readyLine(
                        "zookeeper", ReadyLineHost.reachable(settings.host()) + ":" + zookeeper.port()),
                zookeeper);
    }
}
