package io.uniserve.benchmark.chaos;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.Logging;
import java.nio.file.Path;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Process of one server of a ZooKeeper ensemble, with ZooKeeper's own configuration file. */
@Command(name = "ensemble-member", hidden = true, description = "A server of the ZooKeeper ensemble that `chaos` runs.")
public final class EnsembleMemberCommand extends CliCommand {
    @Option(names = "--file", required = true, paramLabel = "FILE", description = "ZooKeeper's configuration.")
    private Path file = Path.of("");

    @Override
    public Integer call() throws Exception {
        Logging.daemon();
        QuorumPeerConfig config = new QuorumPeerConfig();
        config.parse(file.toString());
        console()
                .println("ready zookeeper " + config.getClientPortAddress().getHostString() + ":"
                        + config.getClientPortAddress().getPort() + " pid "
                        + ProcessHandle.current().pid());
        new QuorumPeerMain().runFromConfig(config);
        return ExitCode.OK;
    }
}
