package io.uniserve.cli.daemon;

import io.uniserve.cli.command.CliCommand;
import io.uniserve.testkit.cluster.LocalCluster;
import io.uniserve.testkit.cluster.LocalClusterBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code uniserve dev}. */
@Command(
        name = "dev",
        description = {
            "Runs a whole cluster in this process: ZooKeeper, a coordinator and servers, with a directory as durable"
                    + " store.",
            "Prints one line when all serve: ready dev HOST:PORT pid N servers HOST:PORT,...; Ctrl-C stops it. Started"
                    + " again on the same directory, it has its tables and rows again."
        },
        footer = {
            "  uniserve dev",
            "  uniserve dev --servers 5 --engines kv --data /tmp/trial",
            "  uniserve dev --engines mine --ports-dir /home/me/ports",
            "  uniserve dev --port 0 -S coordinator.restore-delay=10s"
        })
public final class DevCommand extends CliCommand {
    private static final String START_GRACE = "20s";

    @Mixin
    private DaemonOptions options = new DaemonOptions();

    @Option(names = "--servers", paramLabel = "N", defaultValue = "3", description = "Number of servers (default: 3).")
    private int servers;

    @Option(
            names = "--engines",
            paramLabel = "ENGINE,...",
            defaultValue = "kv,solr",
            description = "Engines that the servers run (default: kv,solr).")
    private String engines = "";

    @Option(names = "--ports", paramLabel = "ENGINE,...", hidden = true, description = "Deprecated name of --engines.")
    private @Nullable String ports;

    @Option(
            names = "--ports-dir",
            paramLabel = "DIR",
            description = "Where the ports' folders are, DIR/PORT/lib/*.jar (default: those of this distribution).")
    private @Nullable String portsDirectory;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "uniserve-data",
            description = "Data directory (default: uniserve-data in this directory).")
    private Path data = Path.of("uniserve-data");

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "Interface to listen on (default: 127.0.0.1).")
    private String host = "";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "7070",
            description = "The coordinator's; the servers take the next ones. 0 takes any free ones (default: 7070).")
    private int port;

    @Override
    public Integer call() throws Exception {
        checkRange("--servers", servers, 1, LocalCluster.SERVERS_MAX);
        checkRange("--port", port, 0, 65_535 - servers);
        String chosen = renamed("--engines", engines, "--ports", ports);
        ForegroundDaemonRunner foreground = new ForegroundDaemonRunner(console());
        LocalClusterBuilder builder = LocalCluster.builder()
                .servers(servers)
                .host(host)
                .firstPort(port)
                .directory(data)
                .settings(options::load)
                .setting("server.engines", chosen)
                // All servers start together; the grace prevents the takeover of replicas of a slower one.
                .setting("coordinator.start-grace", START_GRACE)
                .progress(console()::note)
                .onFailure(foreground::failed);
        if (portsDirectory != null) {
            builder.setting("server.ports-dir", portsDirectory);
        }
        LocalCluster cluster = builder.start();
        List<String> addresses = cluster.bootstrap();
        String bootstrap = String.join(",", addresses);
        boolean usual = bootstrap.startsWith("127.0.0.1:7070");
        console()
                .note("try: uniserve" + (usual ? "" : " -b " + bootstrap) + " table create words --engine "
                        + chosen.split(",")[0]);
        String rest = " servers " + String.join(",", addresses.subList(1, addresses.size()));
        Duration grace = options.load(Map.of()).server().stopGrace();
        return foreground.serve(
                ForegroundDaemonRunner.readyLine("dev", addresses.get(0)) + rest,
                cluster,
                cluster,
                grace.multipliedBy(servers));
    }
}
