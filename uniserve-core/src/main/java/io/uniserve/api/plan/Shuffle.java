package io.uniserve.api.plan;

import io.uniserve.api.operator.ChunkCall;
import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.MapCall;
import io.uniserve.api.operator.ScatterCall;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A plan of stages, a tree: scatters over the actors of tables, maps that work on what comes from stages before them, and at the end
 * a gather. Typed, immutable, bounded. Made with {@code Shuffle.scatter(table, call, parameters).with(other, call2,
 * parameters2).gather(table, call3, parameters3)}; with {@code map} in place of {@code gather} more stages follow.
 *
 * @param scatters all stages that leave chunks, each behind those whose chunks it gets
 * @param at the table whose actors are the gather's slots
 * @param chunksAlone whether maps and the gather look at their chunks alone: see {@link #ofChunksAlone}
 */
public record Shuffle<P, V>(
        List<Scatter<?>> scatters, TableName at, GatherCall<P, V> gather, P parameters, boolean chunksAlone) {
    public Shuffle {
        scatters = List.copyOf(scatters);
        if (scatters.isEmpty() || scatters.size() > Limits.PLAN_SCATTERS_MAX) {
            throw UniserveException.invalid(
                    "a plan has " + scatters.size() + " scatters and maps, use 1 to " + Limits.PLAN_SCATTERS_MAX);
        }
        open(scatters.stream().map(Scatter::inputs).toList());
    }

    /** A plan whose maps and gather may look at their actors' rows too. */
    public Shuffle(List<Scatter<?>> scatters, TableName at, GatherCall<P, V> gather, P parameters) {
        this(scatters, at, gather, parameters, false);
    }

    /**
     * The same plan, whose maps and gather look at their chunks and never at the rows of their actors. Of tables with atomic
     * updates these rows are otherwise of the moment that the scatters see; where that is gone the query begins anew, which is
     * in vain where nobody looks.
     */
    public Shuffle<P, V> ofChunksAlone() {
        return new Shuffle<>(scatters, at, gather, parameters, true);
    }

    /** The tables of all stages. */
    public Set<TableName> tables() {
        return tables(stage -> true);
    }

    /** The tables at whose actors maps and the gather run. */
    public Set<TableName> besides() {
        return tables(stage -> !stage.inputs().isEmpty());
    }

    private Set<TableName> tables(Predicate<Scatter<?>> which) {
        return Stream.concat(scatters.stream().filter(which).map(Scatter::table), Stream.of(at))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * The stages whose chunks no other of these gets, so that the last one of the plan does.
     *
     * @param inputs of each stage
     * @throws UniserveException INVALID_ARGUMENT where a stage gets chunks of a later one, or two those of the same
     */
    public static List<Integer> open(List<List<Integer>> inputs) {
        BitSet taken = new BitSet();
        for (int stage = 0; stage < inputs.size(); stage++) {
            for (int input : inputs.get(stage)) {
                if (input < 0 || input >= stage || taken.get(input)) {
                    throw UniserveException.invalid("stage " + stage + " of a plan wants the chunks of stage " + input
                            + ": a stage's chunks go to one later stage");
                }
                taken.set(input);
            }
        }
        return IntStream.range(0, inputs.size())
                .filter(stage -> !taken.get(stage))
                .boxed()
                .toList();
    }

    /** A plan's first scatter, over all actors of the table. */
    public static <P> Scatters scatter(TableName table, ScatterCall<P> call, P parameters) {
        return new Scatters(List.of()).with(table, call, parameters);
    }

    /** A plan's first scatter, whose chunks stay beside their actors. */
    public static <P> Scatters kept(TableName table, ScatterCall<P> call, P parameters) {
        return new Scatters(List.of()).kept(table, call, parameters);
    }

    /**
     * A stage that leaves chunks: a scatter, or, with inputs, a map.
     *
     * @param actors keys of the input, by the actors that hold them; none for all of the table's
     * @param inputs the stages whose chunks it gets, by their places in the plan; of a scatter none
     */
    public record Scatter<P>(
            TableName table,
            Optional<List<Integer>> actors,
            ChunkCall<P> call,
            P parameters,
            Distribution spread,
            List<Integer> inputs) {
        public Scatter {
            actors = actors.map(List::copyOf);
            inputs = List.copyOf(inputs);
            actors.ifPresent(named -> check(table, named));
            if (call instanceof MapCall<?> == inputs.isEmpty()) {
                throw UniserveException.invalid("stage " + call.id() + " of a plan gets the chunks of " + inputs.size()
                        + " others: a map's are 1 or more, a scatter's none");
            }
        }

        /** A scatter. */
        public Scatter(
                TableName table,
                Optional<List<Integer>> actors,
                ScatterCall<P> call,
                P parameters,
                Distribution spread) {
            this(table, actors, call, parameters, spread, List.of());
        }

        private Scatter<P> after(int stages) {
            List<Integer> moved = inputs.stream().map(input -> input + stages).toList();
            return new Scatter<>(table, actors, call, parameters, spread, moved);
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

    /** Stages of a plan that has no gather yet. Those that no map has taken in go to what comes next, in their order. */
    public static final class Scatters {
        private final List<Scatter<?>> all;

        private Scatters(List<Scatter<?>> all) {
            this.all = all;
        }

        private Scatters and(Scatter<?> next) {
            List<Scatter<?>> more = new ArrayList<>(all);
            more.add(next);
            return new Scatters(List.copyOf(more));
        }

        /** One more, over all actors of the table, cut into slots. */
        public <P> Scatters with(TableName table, ScatterCall<P> call, P parameters) {
            return and(new Scatter<>(table, Optional.empty(), call, parameters, Distribution.CUT));
        }

        /** One more, over all actors of the table, all of which every slot gets. */
        public <P> Scatters broadcast(TableName table, ScatterCall<P> call, P parameters) {
            return and(new Scatter<>(table, Optional.empty(), call, parameters, Distribution.BROADCAST));
        }

        /** One more, over all actors of the table, for the same actors' slots: what follows is at this table. */
        public <P> Scatters kept(TableName table, ScatterCall<P> call, P parameters) {
            return and(new Scatter<>(table, Optional.empty(), call, parameters, Distribution.KEPT));
        }

        /** One more. */
        public Scatters with(Scatter<?> scatter) {
            if (!scatter.inputs().isEmpty()) {
                throw UniserveException.invalid("stage " + scatter.call().id() + " of a plan is a map: use map()");
            }
            return and(scatter);
        }

        /** Those of another plan without a gather, behind these. */
        public Scatters with(Scatters others) {
            List<Scatter<?>> more = new ArrayList<>(all);
            others.all.forEach(one -> more.add(one.after(all.size())));
            return new Scatters(List.copyOf(more));
        }

        /** A map at all actors of a table, of all that no other map has taken in; what it puts is cut into slots. */
        public <P> Scatters map(TableName at, MapCall<P> call, P parameters) {
            return map(at, call, parameters, Distribution.CUT);
        }

        /** The same; what it puts goes so to what comes next. */
        public <P> Scatters map(TableName at, MapCall<P> call, P parameters, Distribution distribution) {
            List<Integer> inputs = open(all.stream().map(Scatter::inputs).toList());
            return and(new Scatter<>(at, Optional.empty(), call, parameters, distribution, inputs));
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
     * @param stages the scatters and maps in their order, and then the gather
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
     * @param sentBytes of the chunks that it was given: those that came from other servers, a broadcast one once a server
     * @param spilledBytes of its chunks, and of those that came from other servers, what was written to files
     * @param servers where it ran, by their ids; one that is gone by its address
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
