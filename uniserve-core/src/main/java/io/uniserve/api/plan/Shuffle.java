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
 * Plan of stages that exchange rows between servers, as for a join: scatters over the actors of tables, optional maps, and one gather. The
 * stages form a tree with the gather at its root. Immutable; the number of stages is bounded. Run it with {@link PlanContext#shuffle}.
 *
 * <pre>{@code
 * Shuffle<Integer, Long> plan = Shuffle.scatter(orders, BY_CUSTOMER, "customer")
 *         .with(customers, BY_ID, "id")
 *         .gather(orders, COUNT_PAIRS, 0);
 * long pairs = context.shuffle(plan, counts -> sum(counts)).value();
 * }</pre>
 *
 * @param scatters all stages that emit chunks; each one after its inputs
 * @param gatherTable the table whose actors are the slots of the gather
 * @param gather the gather operator
 * @param parameters parameters of the gather
 * @param chunksOnly whether maps and the gather use only their chunks; see {@link #withChunksOnly}
 */
public record Shuffle<P, V>(
        List<Scatter<?>> scatters, TableName gatherTable, GatherCall<P, V> gather, P parameters, boolean chunksOnly) {
    public Shuffle {
        scatters = List.copyOf(scatters);
        if (scatters.isEmpty() || scatters.size() > Limits.PLAN_SCATTERS_MAX) {
            throw UniserveException.invalid(
                    "a plan has " + scatters.size() + " scatters and maps, use 1 to " + Limits.PLAN_SCATTERS_MAX);
        }
        unconsumedStages(scatters.stream().map(Scatter::inputs).toList());
    }

    /** Plan whose maps and gather may also read the rows of their actors. */
    public Shuffle(List<Scatter<?>> scatters, TableName at, GatherCall<P, V> gather, P parameters) {
        this(scatters, at, gather, parameters, false);
    }

    /**
     * Returns the plan with the promise that its maps and gather use only their chunks and never the rows of their actors. Without it, on
     * tables with atomic updates, these rows must be of the snapshot that the scatters read. If a server no longer keeps its state, the
     * host restarts the query, which is unnecessary if the rows are not read.
     */
    public Shuffle<P, V> withChunksOnly() {
        return new Shuffle<>(scatters, gatherTable, gather, parameters, true);
    }

    /** Tables of all stages. */
    public Set<TableName> tables() {
        return tables(stage -> true);
    }

    /** Tables on whose actors maps and the gather run. */
    public Set<TableName> mapAndGatherTables() {
        return tables(stage -> !stage.inputs().isEmpty());
    }

    private Set<TableName> tables(Predicate<Scatter<?>> which) {
        return Stream.concat(scatters.stream().filter(which).map(Scatter::table), Stream.of(gatherTable))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Returns the stages whose chunks no other stage consumes, so that the last stage of the plan does.
     *
     * @param inputs the inputs of each stage
     * @throws UniserveException INVALID_ARGUMENT if a stage consumes chunks of a later stage, or two stages consume the same chunks
     */
    public static List<Integer> unconsumedStages(List<List<Integer>> inputs) {
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

    /** Starts a plan with a scatter over all actors of the table, whose chunks are partitioned by slot. */
    public static <P> Builder scatter(TableName table, ScatterCall<P> call, P parameters) {
        return new Builder(List.of()).scatter(table, call, parameters);
    }

    /** Starts a plan with a scatter whose chunks stay with their actors; see {@link Distribution#COLOCATED}. */
    public static <P> Builder scatterColocated(TableName table, ScatterCall<P> call, P parameters) {
        return new Builder(List.of()).scatterColocated(table, call, parameters);
    }

    /**
     * Stage that emits chunks: a scatter, or, with inputs, a map.
     *
     * @param table the table on whose actors it runs
     * @param actors numbers of the actors to run on; empty for all actors of the table
     * @param call the operator
     * @param parameters parameters of the operator
     * @param distribution routing of its chunks
     * @param inputs indexes in the plan of the stages whose chunks it consumes; empty for a scatter
     */
    public record Scatter<P>(
            TableName table,
            Optional<List<Integer>> actors,
            ChunkCall<P> call,
            P parameters,
            Distribution distribution,
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

        /** Stage without inputs. */
        public Scatter(
                TableName table,
                Optional<List<Integer>> actors,
                ScatterCall<P> call,
                P parameters,
                Distribution spread) {
            this(table, actors, call, parameters, spread, List.of());
        }

        private Scatter<P> withInputOffset(int stages) {
            List<Integer> moved = inputs.stream().map(input -> input + stages).toList();
            return new Scatter<>(table, actors, call, parameters, distribution, moved);
        }

        private static void check(TableName table, List<Integer> actors) {
            if (actors.isEmpty() || actors.size() > Limits.TIME_ACTORS_PER_TABLE_MAX) {
                throw UniserveException.invalid("scatter of " + actors.size() + " actors of table " + table
                        + ", use 1 to " + Limits.TIME_ACTORS_PER_TABLE_MAX + ", or none to name all");
            }
            if (new TreeSet<>(actors).size() < actors.size()) {
                throw UniserveException.invalid("scatter of table " + table + " names an actor twice: " + actors);
            }
        }
    }

    /**
     * Builder of a plan: the stages before its gather. The next map or the gather consumes, in order, the chunks of all stages that no map
     * has consumed yet. Immutable: each method returns a new builder.
     */
    public static final class Builder {
        private final List<Scatter<?>> stages;

        private Builder(List<Scatter<?>> all) {
            this.stages = all;
        }

        private Builder append(Scatter<?> next) {
            List<Scatter<?>> more = new ArrayList<>(stages);
            more.add(next);
            return new Builder(List.copyOf(more));
        }

        /** Adds a scatter over all actors of the table, whose chunks are partitioned by slot. */
        public <P> Builder scatter(TableName table, ScatterCall<P> call, P parameters) {
            return append(new Scatter<>(table, Optional.empty(), call, parameters, Distribution.PARTITIONED));
        }

        /** Adds a scatter over all actors of the table, whose chunks every slot receives. */
        public <P> Builder scatterBroadcast(TableName table, ScatterCall<P> call, P parameters) {
            return append(new Scatter<>(table, Optional.empty(), call, parameters, Distribution.BROADCAST));
        }

        /** Adds a scatter over all actors of the table, whose chunks stay with their actors: the next stage must run on this table. */
        public <P> Builder scatterColocated(TableName table, ScatterCall<P> call, P parameters) {
            return append(new Scatter<>(table, Optional.empty(), call, parameters, Distribution.COLOCATED));
        }

        /**
         * Adds a scatter.
         *
         * @throws UniserveException INVALID_ARGUMENT for a map
         */
        public Builder add(Scatter<?> scatter) {
            if (!scatter.inputs().isEmpty()) {
                throw UniserveException.invalid("stage " + scatter.call().id() + " of a plan is a map: use map()");
            }
            return append(scatter);
        }

        /** Appends the stages of another builder. */
        public Builder add(Builder others) {
            List<Scatter<?>> more = new ArrayList<>(stages);
            others.stages.forEach(one -> more.add(one.withInputOffset(stages.size())));
            return new Builder(List.copyOf(more));
        }

        /** Adds a map on all actors of a table, which consumes all chunks not consumed yet. Its chunks are partitioned by slot. */
        public <P> Builder map(TableName at, MapCall<P> call, P parameters) {
            return map(at, call, parameters, Distribution.PARTITIONED);
        }

        /** Adds a map with this routing of its chunks. */
        public <P> Builder map(TableName at, MapCall<P> call, P parameters, Distribution distribution) {
            List<Integer> inputs =
                    unconsumedStages(stages.stream().map(Scatter::inputs).toList());
            return append(new Scatter<>(at, Optional.empty(), call, parameters, distribution, inputs));
        }

        /** Completes the plan with a gather on the actors of a table. */
        public <P, V> Shuffle<P, V> gather(TableName at, GatherCall<P, V> call, P parameters) {
            return new Shuffle<>(stages, at, call, parameters);
        }
    }

    /**
     * Result of a plan, and the cost of its stages.
     *
     * @param value the combined values of the gather
     * @param stages scatters and maps in plan order, then the gather
     * @param attempts 1, or more if chunks were lost and all stages ran again
     */
    public record Result<R>(R value, List<Stage> stages, int attempts) {
        public Result {
            stages = List.copyOf(stages);
        }
    }

    /**
     * Cost of one stage in the successful attempt.
     *
     * @param operator {@code name@version}
     * @param table the table on whose actors it ran
     * @param actors number of actors it ran on
     * @param rows rows in its chunks; for the gather, rows in its input chunks
     * @param bytes bytes of these chunks as stored
     * @param sentBytes bytes of its input chunks that came from other servers; a broadcast chunk counts once per server
     * @param spilledBytes bytes of its chunks, and of input chunks from other servers, that were written to files
     * @param servers ids of the servers it ran on; the address of a server that has left the cluster
     * @param nanos time from start to end of the stage, in nanoseconds
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
