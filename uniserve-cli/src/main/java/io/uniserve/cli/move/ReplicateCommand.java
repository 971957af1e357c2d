package io.uniserve.cli.move;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.DurationConverter;
import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ConditionPoller;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code uniserve replicate}. */
@Command(
        name = "replicate",
        description = {
            "Gives actors more replicas than their table's rf, for a range of keys with many queries, while the table"
                    + " serves; --copies 0 removes them again. Queries use a replica as soon as it is in sync; updates of"
                    + " these actors wait for all of them.",
            "The actors are named by their numbers, or by keys that they hold. Ctrl-C ends the wait, not the setting, which"
                    + " applies until the next one: a lost replica is replaced if there are enough servers."
        },
        footer = {
            "  uniserve replicate speeches 3 --copies 4",
            "  uniserve replicate speeches --key ep-04-2003 --copies 4",
            "  uniserve replicate events 0 1 --copies 0"
        })
public final class ReplicateCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table's name.")
    private String name = "";

    @Parameters(index = "1..*", paramLabel = "ACTOR", description = "Numbers of actors, from 0 on.")
    private List<Integer> actors = new ArrayList<>();

    @Option(
            names = "--copies",
            required = true,
            paramLabel = "COUNT",
            description = "Replicas of each, from the table's rf to " + Limits.REPLICATION_FACTOR_MAX
                    + "; 0 for the table's rf.")
    private int copies;

    @Option(names = "--key", paramLabel = "TEXT", description = "Also the actor that holds this key.")
    private List<String> keys = new ArrayList<>();

    @Option(
            names = "--number-key",
            paramLabel = "NUMBER",
            description = "Also the actor that holds this key, a whole number.")
    private List<Long> numbers = new ArrayList<>();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "10m",
            description = "Time to wait, e.g. 30m (default: 10m); the work itself has no time limit.")
    private Duration timeout = Duration.ofMinutes(10);

    @Override
    public Integer call() throws InterruptedException {
        TableName table = new TableName(name);
        try (ClusterClient cluster = connect()) {
            TableRoute before = cluster.table(table);
            TreeSet<Integer> chosen = chosenActors(before);
            for (int actor : chosen) {
                cluster.replicate(table, actor, copies);
            }
            printReplicas(await(cluster, table, chosen));
        }
        return ExitCode.OK;
    }

    /** Returns the chosen actors. Fails before any request if the table does not have one of them. */
    private TreeSet<Integer> chosenActors(TableRoute table) {
        TreeSet<Integer> chosen = new TreeSet<>();
        for (int actor : actors) {
            if (!table.map().has(actor)) {
                throw UniserveException.invalid("ACTOR " + actor + ": table " + name + " has "
                        + table.map().describeNumbers());
            }
            chosen.add(actor);
        }
        keys.forEach(key -> chosen.addAll(table.actorsOf(PartitionKey.of(key))));
        numbers.forEach(key -> chosen.addAll(table.actorsOf(PartitionKey.of(key))));
        if (chosen.isEmpty()) {
            throw UniserveException.invalid("ACTOR: name the actors of table " + name
                    + ", by number or by --key; it has " + table.map().describeNumbers());
        }
        return chosen;
    }

    private List<ActorState> await(ClusterClient cluster, TableName table, TreeSet<Integer> chosen)
            throws InterruptedException {
        ProgressBar progress = new ProgressBar(
                console().err(), console().terminal(), clock()::nanos, "replicate " + name, chosen.size());
        List<String> open = new ArrayList<>();
        List<ActorState> after = ConditionPoller.await(
                timeout,
                () -> {
                    open.clear();
                    List<ActorState> now = new ArrayList<>();
                    TableMap all = cluster.table(table).map();
                    for (int actor : chosen) {
                        ActorState state = all.get(actor);
                        now.add(state);
                        if (!state.isOnDesiredServers()) {
                            open.add(name + "/" + actor + " has " + state.isr().size() + " of "
                                    + state.desiredServers().size() + " in sync");
                        }
                    }
                    progress.update(chosen.size() - open.size(), String.join(", ", open));
                    return open.isEmpty() ? Optional.of(now) : Optional.empty();
                },
                () -> "the replicas are not in sync yet and keep catching up: " + String.join(", ", open));
        progress.finish();
        return after;
    }

    private void printReplicas(List<ActorState> after) {
        if (global().isJson()) {
            List<Map<String, Object>> told = new ArrayList<>();
            for (ActorState actor : after) {
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("actor", actor.actor());
                one.put("copies", actor.copies());
                one.put("isr", actor.isr().stream().map(ServerId::value).toList());
                told.add(one);
            }
            console().json(Map.of("table", name, "actors", told));
            return;
        }
        after.forEach(actor ->
                console().println(name + "/" + actor.actor() + " is in sync on " + ServerNames.shortName(actor.isr())));
    }
}
