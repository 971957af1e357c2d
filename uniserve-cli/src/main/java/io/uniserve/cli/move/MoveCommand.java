package io.uniserve.cli.move;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.DurationConverter;
import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ConditionPoller;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve move}. */
@Command(
        name = "move",
        description = {
            "Moves one replica of an actor to another server while the table serves: the new replica catches up, is in sync,"
                    + " takes over if the old one was the primary, and the old one is removed.",
            "Servers are named as status shows them. Ctrl-C ends the wait, not the move; a move in the opposite direction"
                    + " cancels it."
        },
        footer = {
            "  uniserve move speeches 3 --to 7729df64",
            "  uniserve move speeches 3 --from 5345c4a8 --to 7729df64 --timeout 30m"
        })
public final class MoveCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table's name.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "ACTOR", description = "The actor's number, from 0 on.")
    private int actor;

    @Option(
            names = "--from",
            paramLabel = "SERVER",
            description = "The server it leaves (default: the only one that has a replica).")
    private @Nullable String from;

    @Option(names = "--to", required = true, paramLabel = "SERVER", description = "The target server.")
    private String to = "";

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "10m",
            description = "Time to wait, e.g. 30m (default: 10m); the move itself has no time limit.")
    private Duration timeout = Duration.ofMinutes(10);

    private String lastStep = "";

    @Override
    public Integer call() throws InterruptedException {
        TableName table = new TableName(name);
        try (ClusterClient cluster = connect()) {
            ActorState before = actor(cluster.table(table));
            ServerId leaves = sourceServer(before);
            ServerId target = ServerNames.findByName(
                    "--to",
                    to,
                    cluster.servers().stream().map(server -> server.id()).toList());
            cluster.move(table, actor, leaves, target);
            ActorState after = await(cluster, table, target);
            if (global().isJson()) {
                console()
                        .json(Map.of(
                                "table", name,
                                "actor", actor,
                                "from", leaves.value(),
                                "to", target.value(),
                                "epoch", after.epoch(),
                                "primary", after.primary().value()));
            } else {
                console()
                        .println("moved " + name + "/" + actor + " from " + ServerNames.shortName(leaves) + " to "
                                + ServerNames.shortName(target) + ", epoch " + after.epoch() + ", primary "
                                + ServerNames.shortName(after.primary()));
            }
        }
        return ExitCode.OK;
    }

    private ActorState actor(TableRoute table) {
        ActorState state = table.map().find(actor);
        if (state == null) {
            throw UniserveException.invalid(
                    "ACTOR " + actor + ": table " + name + " has " + table.map().describeNumbers());
        }
        return state;
    }

    private ServerId sourceServer(ActorState state) {
        if (from != null) {
            return ServerNames.findByName("--from", from, state.desiredServers());
        }
        if (state.desiredServers().size() > 1) {
            throw UniserveException.invalid("--from: " + name + "/" + actor + " has several replicas, on "
                    + ServerNames.shortName(state.desiredServers()) + "; name the one to move");
        }
        return state.desiredServers().get(0);
    }

    private ActorState await(ClusterClient cluster, TableName table, ServerId target) throws InterruptedException {
        return ConditionPoller.await(
                timeout,
                () -> ifMoved(actor(cluster.table(table)), target),
                () -> "the move of " + name + "/" + actor + " is not complete yet and continues; table describe " + name
                        + " shows its progress");
    }

    /** Returns the actor when the move is complete; prints each step once. */
    private Optional<ActorState> ifMoved(ActorState now, ServerId target) {
        if (!now.desiredServers().contains(target)) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    name + "/" + actor + " stays on " + ServerNames.shortName(now.desiredServers()) + ": " + to
                            + " failed meanwhile, or the move was cancelled");
        }
        if (now.isOnDesiredServers()) {
            return Optional.of(now);
        }
        String step = step(now, target);
        if (!step.equals(lastStep)) {
            console().note(step);
            lastStep = step;
        }
        return Optional.empty();
    }

    private static String step(ActorState now, ServerId target) {
        if (now.learners().contains(target)) {
            return ServerNames.shortName(target) + " learns";
        }
        if (!now.isr().contains(target)) {
            return "waiting for " + ServerNames.shortName(target) + " to begin";
        }
        return now.desiredServers().contains(now.primary())
                ? ServerNames.shortName(target) + " is in sync"
                : ServerNames.shortName(target) + " is in sync, the primary " + ServerNames.shortName(now.primary())
                        + " hands over";
    }
}
