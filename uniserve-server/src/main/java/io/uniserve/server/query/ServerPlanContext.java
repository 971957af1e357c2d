package io.uniserve.server.query;

import io.uniserve.api.QueryCancellation;
import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.query.ReadSession;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.ColocatedTables;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.exchange.ShuffleStateMachine;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.transaction.server.TransactionService;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.server.read.worker.CancellationScope;
import io.uniserve.server.read.worker.UserMemoryBudget;
import io.uniserve.server.read.worker.UserMemoryReservation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Context of one query's plans. The client's state machines run on the plan's {@link QueryContext serial executor}; the planner's
 * thread waits for them.
 */
final class ServerPlanContext implements PlanContext, Timers.Cancel {
    private final QueryContext context;
    private final ClientContext env;
    private final QueryText query;
    /** Tables that the caller may read. */
    private final Predicate<TableName> readable;

    private final ReadMode mode;
    /** False if the caller has a session. */
    private final boolean ownsSession;

    private final long deadlineNanos;
    private final CancellationScope cancellationScope;
    private final QueryStats queryStats;
    private final UserMemoryBudget memory;
    private final String user;
    private final PlannerOutcomeWaiter wait;
    private final PlanSnapshot snapshot;
    private final ChunkGenerations generations = new ChunkGenerations();
    /** Generation of the map by which the caller has chosen actors; 0 if it has chosen none of a TIME table. */
    private final long callersGeneration;

    private boolean stickyReplicas;

    ServerPlanContext(
            QueryContext world,
            QueryText query,
            Predicate<TableName> readable,
            long callersGeneration,
            ReadMode mode,
            Optional<ReadSession> session,
            UpdateContentionTracker updateContention,
            CancellationScope cancellationScope,
            QueryStats queryStats,
            UserMemoryBudget memory,
            String user,
            long deadlineNanos) {
        this.memory = memory;
        this.user = user;
        this.context = world;
        this.env = world.env();
        this.mode = mode;
        this.cancellationScope = cancellationScope;
        this.queryStats = queryStats;
        this.ownsSession = session.isEmpty();
        this.query = query;
        this.readable = readable;
        this.callersGeneration = callersGeneration;
        this.deadlineNanos = deadlineNanos;
        this.wait = new PlannerOutcomeWaiter(world, cancellationScope, deadlineNanos);
        this.snapshot =
                new PlanSnapshot(world, wait, this, query.table(), mode, session, updateContention, deadlineNanos);
    }

    /** Cancellation scope of the caller. */
    CancellationScope cancellationScope() {
        return cancellationScope;
    }

    /** Registers the calling thread as the planner's thread. */
    void bindThread() {
        context.plannerExecutor().bindThread();
    }

    /** Ends the query. Releases its states; requests that are still queued here run now. */
    void end() {
        context.plannerExecutor().unbindThread();
        snapshot.forget();
        context.plannerExecutor().runAll();
    }

    @Override
    public TableMeta table(TableName name) {
        return route(name).meta();
    }

    /** Route of a table that the caller may read. Every access of a plan to a table begins here; any other table does not exist for it. */
    private TableRoute route(TableName name) {
        if (!readable.test(name)) {
            throw AccessControl.absent(name);
        }
        Optional<TableRoute> known = env.routing().current().table(name);
        if (known.isEmpty()) {
            RouteIndex fresh = wait.await(done -> env.routing().refresh(done::complete), () -> {});
            known = fresh.table(name);
        }
        return known.orElseThrow(() -> AccessControl.absent(name));
    }

    @Override
    public void useRepeatableReads() {
        snapshot.oneState();
    }

    @Override
    public void useStickyReplicas() {
        stickyReplicas = true;
    }

    @Override
    public void useSnapshot(Set<TableName> tables) {
        snapshot.oneMoment(tables);
    }

    @Override
    public List<Integer> actors(TableName name) {
        TableRoute route = route(name);
        if (route.meta().partitioner() instanceof Partitioner.Time
                && route.map().generation() < callersGeneration
                && name.equals(query.table())) {
            route = newestRoute(name);
        }
        long generation = route.map().generation();
        Optional<List<Integer>> chosen = chosenActors(name);
        if (route.meta().partitioner() instanceof Partitioner.Time) {
            generations.onChosen(name, chosen.isPresent() && callersGeneration > 0 ? callersGeneration : generation);
        }
        return chosen.orElse(route.map().numbers());
    }

    private TableRoute newestRoute(TableName name) {
        RouteIndex fresh = wait.await(done -> env.routing().refresh(done::complete), () -> {});
        return fresh.table(name).orElseGet(() -> route(name));
    }

    /**
     * Returns whether this attempt has covered every chunk with rows acknowledged before the query. Else it prepares another attempt. Reads of
     * a caller's session cover the chunks of its first read.
     *
     * @throws UniserveException STALE_EPOCH if the caller has chosen the actors, and must do so again
     */
    boolean coversAllChunks() {
        if (mode == ReadMode.STALE || !ownsSession) {
            return true;
        }
        for (TableName table : generations.unconfirmed()) {
            generations.onConfirmed(table, generationInZooKeeper(table));
        }
        Set<TableName> stale = new TreeSet<>(generations.stale());
        stale.addAll(generations.expired(table -> route(table).map().expiredBefore()));
        if (stale.isEmpty()) {
            return true;
        }
        if (callersGeneration > 0 && stale.contains(query.table())) {
            throw new UniserveException(
                    ErrorCode.STALE_EPOCH,
                    "table " + query.table() + " has chunks that the caller's map lacks: read the map again");
        }
        startAnew();
        return false;
    }

    /** Returns whether another attempt may choose other actors after one that named actors that are in no map. */
    boolean mayChooseAgain() {
        return callersGeneration == 0 && ownsSession;
    }

    /** Prepares another attempt with the newest map. */
    void startAnew() {
        generations.clear();
        snapshot.forget();
        queryStats.recordRestart();
        RouteIndex unused = wait.await(done -> env.routing().refresh(done::complete), () -> {});
    }

    private long generationInZooKeeper(TableName table) {
        ConsistentSnapshot confirmed = wait.await(
                done -> context.network()
                        .requestChunkGeneration(
                                context.network().self(), table, Math.max(1, wait.remainingNanos()), done::complete),
                () -> {});
        return confirmed.tables().get(0).generation();
    }

    /** Called before each read. */
    private void onReadStarts(TableName name) {
        TableRoute route = route(name);
        if (route.meta().partitioner() instanceof Partitioner.Time
                && TransactionService.isAtomic(route.meta().level())) {
            generations.onVersionedRead(name, route.map().expiredBefore());
        }
    }

    /** Actors that the caller has chosen; empty for all actors of the table. */
    private Optional<List<Integer>> chosenActors(TableName name) {
        boolean chosen = callersGeneration > 0 || !query.actors().isEmpty();
        return name.equals(query.table()) && chosen ? Optional.of(query.actors()) : Optional.empty();
    }

    @Override
    public <P, V, R> R retrieve(TableName table, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        return runRetrieve(table, chosenActors(table), call, parameters, combiner);
    }

    @Override
    public <P, V, R> R retrieve(
            TableName table, Set<Integer> actors, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        return runRetrieve(table, Optional.of(List.copyOf(new TreeSet<>(actors))), call, parameters, combiner);
    }

    /** Runs reads in parallel if they are of eventual tables or of one common snapshot. */
    @Override
    public <P, V, R> List<R> retrieveAll(
            RetrieveCall<P, V> call, List<RetrieveRequest<P>> all, Combiner<V, R> combiner) {
        Optional<PlanSnapshot.View> view = snapshot.ofIndependentReads(
                all.stream().map(RetrieveRequest::table).toList());
        if (view.isEmpty()) {
            return PlanContext.super.retrieveAll(call, all, combiner);
        }
        List<Query> queries = all.stream()
                .map(one -> new Query(
                                one.table(),
                                one.actors().size() == actors(one.table()).size()
                                        ? chosenActors(one.table())
                                        : Optional.of(List.copyOf(new TreeSet<>(one.actors()))),
                                qualifiedOperator(one.table(), call.id()),
                                call.parameters().encode(one.parameters()),
                                mode,
                                deadlineNanos)
                        .withStableReplicas(stickyReplicas))
                .toList();
        ParallelReadGroup run =
                new ParallelReadGroup(queries.stream().map(view.get()::read).toList());
        queries.forEach(query -> onReadStarts(query.table()));
        long startNanos = nanoTime();
        List<QueryResult> results = wait.await(run::start, run::cancel);
        long took = nanoTime() - startNanos;
        String how = queryStats.isExplaining() ? ", one of " + queries.size() + " at the same time" : "";
        List<R> combined = new ArrayList<>(results.size());
        for (int i = 0; i < results.size(); i++) {
            combined.add(combine(record(queries.get(i), results.get(i), how, took), call, combiner));
        }
        return combined;
    }

    @Override
    public boolean areColocated(TableMeta table, Collection<TableMeta> others) {
        return canShuffle()
                && mode != ReadMode.STRICT
                && Stream.concat(Stream.of(table), others.stream())
                        .noneMatch(one -> TransactionService.isAtomic(one.level()))
                && env.routing()
                        .current()
                        .colocatedServers(table.name(), ColocatedTables.of(table, others, Bytes.EMPTY))
                        .isPresent();
    }

    @Override
    public <P, V, R> R retrieveColocated(
            TableMeta table,
            Set<Integer> actors,
            Collection<TableMeta> others,
            V elsewhere,
            RetrieveCall<P, V> call,
            P parameters,
            Combiner<V, R> combiner) {
        Query asked = new Query(
                table.name(),
                Optional.of(List.copyOf(new TreeSet<>(actors))),
                qualifiedOperator(table.name(), call.id()),
                call.parameters().encode(parameters),
                mode,
                deadlineNanos,
                Map.of(),
                ColocatedTables.of(table, others, call.values().encode(elsewhere)));
        String how = queryStats.isExplaining()
                ? others.stream().map(other -> other.name().value()).collect(Collectors.joining(", ", " beside ", ""))
                : "";
        return combine(readAndRecord(asked, how), call, combiner);
    }

    @Override
    public <P, V> Map<Integer, V> retrieveEach(
            TableName table, RetrieveCall<PerActorParameters<P>, V> call, Map<Integer, P> parameters) {
        Optional<List<Integer>> asked = Optional.of(List.copyOf(new TreeSet<>(parameters.keySet())));
        QueryResult result = runRetrieve(table, asked, call, PerActorParameters.of(parameters));
        Map<Integer, V> values;
        try (UserMemoryReservation held = hold(result)) {
            values = decodeEach(result, call);
        }
        if (values.size() != parameters.size()) {
            throw new UniserveException(
                    ErrorCode.VERSION_GONE, "a chunk of table " + table + " expired while the query ran: run it again");
        }
        return values;
    }

    private static <P, V> Map<Integer, V> decodeEach(QueryResult result, RetrieveCall<PerActorParameters<P>, V> call) {
        Map<Integer, V> values = new TreeMap<>();
        for (int i = 0; i < result.parts().size(); i++) {
            if (result.actors().get(i).size() != 1) {
                throw new UniserveException(
                        ErrorCode.PORT_PROTOCOL, "operator " + call.id() + " merges values; its planner needs each");
            }
            values.put(
                    result.actors().get(i).get(0),
                    call.values().decode(result.parts().get(i)));
        }
        return values;
    }

    @Override
    public boolean canShuffle() {
        return !snapshot.isShared();
    }

    @Override
    public <P, V, R> Shuffle.Result<R> shuffle(Shuffle<P, V> plan, Combiner<V, R> combiner) {
        if (!canShuffle()) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "a plan with a scatter has no common state of its tables: use no session and no oneState");
        }
        ShuffleExecution run = new ShuffleExecution(context, mode, deadlineNanos, this::table);
        ShuffleStateMachine.Plan bare = run.encodePlan(plan, this::actors);
        boolean actorsToo = snapshot.actorsToo(plan);
        plan.tables().forEach(this::onReadStarts);
        snapshot.ofShuffle(plan, actorsToo).ifPresent(moment -> run.setSnapshot(moment, actorsToo));
        long startNanos = nanoTime();
        ShuffleStateMachine.Result result = wait.await(
                future -> run.start(bare, future::complete),
                () -> context.serialExecutor().execute(run::cancel));
        long took = nanoTime() - startNanos;
        run.generations().forEach(generations::onRead);
        Shuffle.Result<R> told;
        try (UserMemoryReservation held = hold(result.gathered())) {
            told = run.toResult(plan, bare, result, combiner);
        }
        queryStats.recordShuffle(plan, told, ShuffleExecution.effort(result), took);
        return told;
    }

    private <P, V, R> R runRetrieve(
            TableName table,
            Optional<List<Integer>> actors,
            RetrieveCall<P, V> call,
            P parameters,
            Combiner<V, R> combiner) {
        return combine(runRetrieve(table, actors, call, parameters), call, combiner);
    }

    private <P, V, R> R combine(QueryResult result, RetrieveCall<P, V> call, Combiner<V, R> combiner) {
        try (UserMemoryReservation held = hold(result)) {
            List<V> values = new ArrayList<>(result.parts().size());
            for (Bytes part : result.parts()) {
                values.add(call.values().decode(part));
            }
            return combiner.combine(values);
        }
    }

    /** Reserves the values of a result for the user until they are combined. */
    private UserMemoryReservation hold(QueryResult result) {
        return UserMemoryReservation.of(
                memory, user, result.parts().stream().mapToLong(Bytes::size).sum());
    }

    private <P, V> QueryResult runRetrieve(
            TableName table, Optional<List<Integer>> actors, RetrieveCall<P, V> call, P parameters) {
        Bytes encoded = call.parameters().encode(parameters);
        return readAndRecord(
                new Query(table, actors, qualifiedOperator(table, call.id()), encoded, mode, deadlineNanos), "");
    }

    /** Reads, and records the statistics. */
    private QueryResult readAndRecord(Query asked, String how) {
        onReadStarts(asked.table());
        long startNanos = nanoTime();
        QueryResult result = snapshot.read(asked.withStableReplicas(stickyReplicas));
        return record(asked, result, how, nanoTime() - startNanos);
    }

    private QueryResult record(Query asked, QueryResult result, String how, long nanos) {
        int all =
                queryStats.isExplaining() ? route(asked.table()).map().actors().size() : 0;
        generations.onRead(asked.table(), result.generation());
        queryStats.recordRetrieve(asked, all, result, how, nanos);
        return result;
    }

    @Override
    public Optional<String> localServer() {
        return Optional.of(context.localServer().value());
    }

    @Override
    public ReadStats takeReadStats() {
        return queryStats.takeReadStats();
    }

    /** Qualifies the operator with this server's build. Fails with UNSUPPORTED if the caller's session is of another table. */
    private String qualifiedOperator(TableName table, String operator) {
        if (!ownsSession && !table.equals(query.table())) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "a session holds the state of table " + query.table() + " only, and this query reads table " + table
                            + " too: run it without a session");
        }
        return context.qualifiedOperator(table(table).port(), operator);
    }

    @Override
    public long nanoTime() {
        return env.clock().nanos();
    }

    @Override
    public long remainingNanos() {
        return wait.remainingNanos();
    }

    @Override
    public QueryCancellation.Watch onCancel(Runnable stopping) {
        return cancellationScope.onCancel(stopping);
    }

    /** The plan's states were lost, and another attempt follows. */
    void onStatesLost(int restarts) {
        queryStats.recordRestart();
        snapshot.lost(restarts);
    }

    /** The state that the plan's reads see. */
    PlanSnapshot snapshot() {
        return snapshot;
    }

    QueryStats stats() {
        return queryStats;
    }

    @Override
    public void cancel() {
        wait.cancel();
    }
}
