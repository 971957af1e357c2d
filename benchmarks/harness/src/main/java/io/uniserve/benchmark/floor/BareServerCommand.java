package io.uniserve.benchmark.floor;

import io.grpc.Server;
import io.uniserve.cli.command.CliCommand;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Process of the floor's server. */
@Command(
        name = "bare-server",
        hidden = true,
        description = "The bare gRPC server that `bench overhead` measures against.")
public final class BareServerCommand extends CliCommand {
    @Option(names = "--port", required = true, description = "Port; 0 lets the system choose.")
    private int port;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Server server = BareServer.startServer(port);
        console()
                .println("ready bare-server 127.0.0.1:" + server.getPort() + " pid "
                        + ProcessHandle.current().pid());
        server.awaitTermination();
        return 0;
    }
}
