package io.uniserve.cli.move;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.DurationConverter;
import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ConditionPoller;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve drain}. */
@Command(
        name = "drain",
        description = {
            "Empties a server while it serves: its replicas move to others, and it gets no new ones until --undo. It"
                    + " keeps running. When it is empty, it can be stopped without an effect on any actor.",
            "The server is named as status shows it. Ctrl-C ends the wait, not the drain."
        },
        footer = {"  uniserve drain 5345c4a8", "  uniserve drain 5345c4a8 --undo"})
public final class DrainCommand extends ClientCommand {
    private static final int NAMED_MAX = 5;

    @Parameters(index = "0", paramLabel = "SERVER", description = "The server.")
    private String name = "";

    @Option(
            names = "--undo",
            description = "End the drain: the server may get replicas again, but none returns automatically.")
    private boolean undo;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "30m",
            description = "Time to wait until it is empty (default: 30m); the drain itself has no time limit.")
    private Duration timeout = Duration.ofMinutes(30);

    @Override
    public Integer call() throws InterruptedException {
        try (ClusterClient cluster = connect()) {
            TreeSet<ServerId> known = new TreeSet<>(cluster.status().drained());
            if (!undo) {
                cluster.servers().forEach(server -> known.add(server.id()));
            }
            ServerId server = ServerNames.findByName("SERVER", name, known);
            cluster.drain(server, !undo);
            if (!undo) {
                await(cluster, server);
            }
            if (global().isJson()) {
                console().json(Map.of("server", server.value(), "drained", !undo));
            } else {
                console()
                        .println("server " + ServerNames.shortName(server)
                                + (undo ? " may hold replicas again" : " is empty and gets no replicas"));
            }
        }
        return ExitCode.OK;
    }

    private void await(ClusterClient cluster, ServerId server) throws InterruptedException {
        int first = heldReplicas(cluster, server).size();
        ProgressBar progress = new ProgressBar(
                console().err(), console().terminal(), clock()::nanos, "drain " + ServerNames.shortName(server), first);
        List<String> held = new ArrayList<>();
        ConditionPoller.await(
                timeout,
                () -> {
                    held.clear();
                    held.addAll(heldReplicas(cluster, server));
                    progress.update(Math.max(0, first - held.size()), held.size() + " replicas left");
                    return held.isEmpty() ? Optional.of(server) : Optional.empty();
                },
                () -> "server " + ServerNames.shortName(server) + " still holds " + held.size()
                        + " replicas; the drain continues: "
                        + String.join(", ", held.subList(0, Math.min(NAMED_MAX, held.size()))));
        progress.finish();
    }

    private static List<String> heldReplicas(ClusterClient cluster, ServerId server) {
        List<String> held = new ArrayList<>();
        for (TableRoute table : cluster.tables()) {
            for (ActorState actor : table.map().actors()) {
                if (actor.hasReplicaOn(server)) {
                    held.add(table.meta().name() + "/" + actor.actor());
                }
            }
        }
        return held;
    }
}
