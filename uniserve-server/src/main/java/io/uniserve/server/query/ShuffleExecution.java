package io.uniserve.server.query;

import io.uniserve.api.operator.Combiner;
import io.uniserve.api.plan.Answer.Effort;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.transaction.AtomicTablesSnapshot;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.exchange.GatherResult;
import io.uniserve.protocol.exchange.ShuffleStateMachine;
import io.uniserve.protocol.exchange.StageReadExecutor;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.transaction.server.ConsistentSnapshotReader;
import io.uniserve.protocol.transaction.server.TransactionService;
import io.uniserve.runtime.port.PortBuildId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Run of a plan of scatters, maps and a gather, on the plan's serial executor. Each stage is a read, by its table's level and the
 * query's mode.
 */
final class ShuffleExecution {
    private final QueryContext context;
    private final ReadMode mode;
    private final long deadlineNanos;
    private final Function<TableName, TableMeta> tables;
    private final Map<TableName, Boolean> atomic = new HashMap<>();
    private @Nullable ShuffleStateMachine machine;
    private Optional<AtomicTablesSnapshot> snapshot = Optional.empty();
    private boolean snapshotForActors;
    /** Chunk generations of servers that have answered. Written on the serial executor, read after the end. */
    private final Map<TableName, Long> generations = new ConcurrentHashMap<>();

    ShuffleExecution(QueryContext world, ReadMode mode, long deadlineNanos, Function<TableName, TableMeta> tables) {
        this.context = world;
        this.mode = mode;
        this.deadlineNanos = deadlineNanos;
        this.tables = tables;
    }

    /**
     * Sets the snapshot for scatters of its tables, and with {@code actors} for actors of maps and the gather too. Call it before the
     * start, on the planner's thread.
     */
    void setSnapshot(AtomicTablesSnapshot settled, boolean actors) {
        snapshot = Optional.of(settled);
        snapshotForActors = actors;
    }

    /** Returns the plan with encoded parameters. Call it on the planner's thread. */
    <P, V> ShuffleStateMachine.Plan encodePlan(Shuffle<P, V> plan, Function<TableName, List<Integer>> actors) {
        List<ShuffleStateMachine.Scatter> scatters = new ArrayList<>();
        for (Shuffle.Scatter<?> scatter : plan.scatters()) {
            scatters.add(encodeScatter(scatter, actors));
        }
        checkTable(plan.gatherTable());
        Bytes parameters = plan.gather().parameters().encode(plan.parameters());
        return new ShuffleStateMachine.Plan(
                scatters,
                plan.gatherTable(),
                actors.apply(plan.gatherTable()),
                qualifiedOperator(plan.gatherTable(), plan.gather().id()),
                parameters);
    }

    private <P> ShuffleStateMachine.Scatter encodeScatter(
            Shuffle.Scatter<P> scatter, Function<TableName, List<Integer>> actors) {
        checkTable(scatter.table());
        List<Integer> all = actors.apply(scatter.table());
        List<Integer> asked = scatter.actors().orElse(all);
        for (int actor : asked) {
            if (!all.contains(actor)) {
                throw UniserveException.invalid("a scatter names actor " + actor + " of table " + scatter.table()
                        + ", which is not among the " + all.size() + " actors of the query");
            }
        }
        return new ShuffleStateMachine.Scatter(
                scatter.table(),
                asked,
                qualifiedOperator(scatter.table(), scatter.call().id()),
                scatter.call().parameters().encode(scatter.parameters()),
                scatter.distribution(),
                scatter.inputs());
    }

    private String qualifiedOperator(TableName table, String operator) {
        return context.qualifiedOperator(tables.apply(table).port(), operator);
    }

    private void checkTable(TableName table) {
        boolean versions = TransactionService.isAtomic(tables.apply(table).level());
        if (!versions && mode == ReadMode.STRICT) {
            throw ConsistentSnapshotReader.notAtomicError(table);
        }
        atomic.put(table, versions);
    }

    /** Call on the serial executor. */
    void start(ShuffleStateMachine.Plan plan, Completion<ShuffleStateMachine.Result> completion) {
        ClientContext env = context.env();
        StageReadExecutor reads = new StageReadExecutor(
                env,
                context.network(),
                context.network(),
                context.peers(),
                mode,
                deadlineNanos,
                table -> atomic.getOrDefault(table, false),
                new StageReadExecutor.VersionListener() {
                    @Override
                    public void onVersion(TableName table, String operator, long version) {
                        // the snapshot is known
                    }

                    @Override
                    public void onGeneration(TableName table, long generation) {
                        generations.merge(table, generation, Math::max);
                    }
                });
        snapshot.ifPresent(settled -> reads.withSnapshot(settled, snapshotForActors));
        ShuffleStateMachine started = new ShuffleStateMachine(
                env.clock(), env.timers(), reads, reads::endAttempt, env.ids().next(), deadlineNanos, plan, completion);
        machine = started;
        started.start();
    }

    /** Call on the serial executor. */
    void cancel() {
        ShuffleStateMachine running = machine;
        if (running != null) {
            running.cancel();
        }
    }

    /** Chunk generations of the servers that have answered, by table. Call it after the end. */
    Map<TableName, Long> generations() {
        return Map.copyOf(generations);
    }

    /** Effort of all stages together. Each further attempt counts as a retry. */
    static Effort effort(ShuffleStateMachine.Result result) {
        QueryResult.Stats last = result.gathered().stats();
        Effort all = new Effort(last.requests(), last.retries() + result.attempts() - 1, last.hedges());
        for (ShuffleStateMachine.StageResult input : result.inputs()) {
            QueryResult.Stats stats = input.stats();
            all = all.plus(new Effort(stats.requests(), stats.retries(), stats.hedges()));
        }
        return all;
    }

    /** Converts the result for the planner. */
    <P, V, R> Shuffle.Result<R> toResult(
            Shuffle<P, V> plan,
            ShuffleStateMachine.Plan bare,
            ShuffleStateMachine.Result result,
            Combiner<V, R> combiner) {
        List<Shuffle.Stage> stages = new ArrayList<>();
        for (int i = 0; i < result.inputs().size(); i++) {
            ShuffleStateMachine.StageResult input = result.inputs().get(i);
            ShuffleStateMachine.Scatter asked = bare.scatters().get(i);
            stages.add(new Shuffle.Stage(
                    PortBuildId.withoutBuild(asked.operator()),
                    asked.table(),
                    asked.actors().size(),
                    input.rows(),
                    input.bytes(),
                    input.sentBytes(),
                    input.spilledBytes() + input.inputSpilledBytes(),
                    serverIds(input.servers()),
                    input.nanos()));
        }
        Codec<GatherResult<V>> codec = GatherResult.codec(plan.gather().values());
        List<V> values = new ArrayList<>();
        Set<String> servers = new TreeSet<>();
        long rows = 0;
        long bytes = 0;
        long sent = 0;
        long spilled = 0;
        for (Bytes part : result.gathered().parts()) {
            GatherResult<V> gatherResult = codec.decode(part);
            values.add(gatherResult.value());
            servers.addAll(gatherResult.servers());
            rows += gatherResult.rows();
            bytes += gatherResult.bytes();
            sent += gatherResult.sentBytes();
            spilled += gatherResult.spilledBytes();
        }
        stages.add(new Shuffle.Stage(
                PortBuildId.withoutBuild(bare.operator()),
                bare.gatherTable(),
                bare.actors().size(),
                rows,
                bytes,
                sent,
                spilled,
                serverIds(servers),
                result.gatherNanos()));
        return new Shuffle.Result<>(combiner.combine(values), stages, result.attempts());
    }

    /** Ids of servers, sorted, as in the statistics of retrieves. A server that has left the cluster is identified by its address. */
    private List<String> serverIds(Collection<String> addresses) {
        Map<String, String> ids = new TreeMap<>();
        context.env()
                .routing()
                .current()
                .routing()
                .servers()
                .forEach(server ->
                        ids.put(server.address().toString(), server.id().value()));
        return addresses.stream()
                .map(address -> ids.getOrDefault(address, address))
                .sorted()
                .toList();
    }
}
