package io.uniserve.cli.daemon;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.Logging;
import io.uniserve.coordinator.CoordinatorDaemon;
import io.uniserve.runtime.config.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code uniserve coordinator}. */
@Command(
        name = "coordinator",
        description = {
            "Runs a coordinator. A cluster may have several: one leads, the others stand by.",
            "Prints one line when it serves: ready coordinator HOST:PORT pid N"
        },
        footer = {
            "  uniserve coordinator --host 127.0.0.1 --zookeeper zk1:2181,zk2:2181,zk3:2181 --cluster search",
            "  uniserve coordinator --config /etc/uniserve.conf -S coordinator.restore-delay=1m"
        })
public final class CoordinatorCommand extends CliCommand {
    @Mixin
    private MemberOptions options = new MemberOptions();

    @Override
    public Integer call() throws Exception {
        Logging.daemon();
        Settings settings = options.load("coordinator", new SettingOverrides());
        ForegroundDaemonRunner foreground = new ForegroundDaemonRunner(console());
        CoordinatorDaemon daemon = CoordinatorDaemon.start(settings, foreground::failed);
        return foreground.serve(ForegroundDaemonRunner.readyLine("coordinator", daemon.address()), daemon);
    }
}
