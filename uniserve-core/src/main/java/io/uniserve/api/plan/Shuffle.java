package io.uniserve.api.plan;

import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.ScatterCall;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A plan of two stages: scatters over the actors of tables, and a gather at the actors of one. Typed, immutable, bounded.
 * Made with {@code Shuffle.scatter(table, call, parameters).with(other, call2, parameters2).gather(table, call3,
 * parameters3)}.
 *
 * @param scatters the inputs, in the order in which the gather gets their chunks
 * @param at the table whose actors are the slots
 */
public record Shuffle<P, V>(List<Scatter<?>> scatters, TableName at, GatherCall<P, V> gather, P parameters) {
    public Shuffle {
        scatters = List.copyOf(scatters);
        if (scatters.isEmpty() || scatters.size() > Limits.PLAN_SCATTERS_MAX) {
            throw UniserveException.invalid(
                    "a plan has " + scatters.size() + " scatters, use 1 to " + Limits.PLAN_SCATTERS_MAX);
        }
    }

    /** A plan's first scatter, over all actors of the table. */
    public static <P> Scatters scatter(TableName table, ScatterCall<P> call, P parameters) {
        return new Scatters(List.of()).with(table, call, parameters);
    }

    /**
     * One input.
     *
     * @param actors keys of the input, by the actors that hold them; none for all of the table's
     * @param broadcast true where every slot gets the chunk of slot 0
     */
    public record Scatter<P>(
            TableName table, Optional<List<Integer>> actors, ScatterCall<P> call, P parameters, boolean broadcast) {
        public Scatter {
            actors = actors.map(List::copyOf);
            actors.ifPresent(named -> check(table, named));
        }

        private static void check(TableName table, List<Integer> actors) {
            if (actors.isEmpty() || actors.size() > Limits.ACTORS_PER_TABLE_MAX) {
                throw UniserveException.invalid("scatter of " + actors.size() + " actors of table " + table
                        + ", use 1 to " + Limits.ACTORS_PER_TABLE_MAX + ", or none to name all");
            }
            if (new TreeSet<>(actors).size() < actors.size()) {
                throw UniserveException.invalid("scatter of table " + table + " names an actor twice: " + actors);
            }
        }
    }

    /** Inputs of a plan that has no gather yet. */
    public static final class Scatters {
        private final List<Scatter<?>> all;

        private Scatters(List<Scatter<?>> all) {
            this.all = all;
        }

        /** One more, over all actors of the table, cut into slots. */
        public <P> Scatters with(TableName table, ScatterCall<P> call, P parameters) {
            return with(new Scatter<>(table, Optional.empty(), call, parameters, false));
        }

        /** One more, over all actors of the table, all of which every slot gets. */
        public <P> Scatters broadcast(TableName table, ScatterCall<P> call, P parameters) {
            return with(new Scatter<>(table, Optional.empty(), call, parameters, true));
        }

        /** One more. */
        public Scatters with(Scatter<?> scatter) {
            List<Scatter<?>> more = new java.util.ArrayList<>(all);
            more.add(scatter);
            return new Scatters(List.copyOf(more));
        }

        /** The plan, with its gather at the actors of a table. */
        public <P, V> Shuffle<P, V> gather(TableName at, GatherCall<P, V> call, P parameters) {
            return new Shuffle<>(all, at, call, parameters);
        }
    }

    /**
     * What a plan gave, and what its stages took.
     *
     * @param value combined from those of the gather
     * @param stages the scatters in their order, and then the gather
     * @param attempts 1, or more where what was scattered was lost and all of it done again
     */
    public record Result<R>(R value, List<Stage> stages, int attempts) {
        public Result {
            stages = List.copyOf(stages);
        }
    }

    /**
     * What a stage took, of the attempt that counts.
     *
     * @param operator {@code name@version}
     * @param actors how many it ran on
     * @param rows in its chunks; of the gather: in those it was given
     * @param bytes of these chunks as they were kept
     * @param sentBytes of the gather: those that came from other servers
     * @param spilledBytes those that were written to files
     * @param servers where it ran
     * @param nanos from the stage's start to its end
     */
    public record Stage(
            String operator,
            TableName table,
            int actors,
            long rows,
            long bytes,
            long sentBytes,
            long spilledBytes,
            List<String> servers,
            long nanos) {
        public Stage {
            servers = List.copyOf(servers);
        }
    }
}
