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
import io.uniserve.limit.Limits;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.exchange.ShuffleMachine;
import io.uniserve.protocol.message.ConsistentCut;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.reader.ClientContext;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryResult;
import io.uniserve.protocol.reader.ReadSession;
import io.uniserve.protocol.reader.RouteIndex;
import io.uniserve.protocol.tx.ConsistentCutReader;
import io.uniserve.protocol.tx.ReadSnapshot;
import io.uniserve.protocol.tx.SnapshotRead;
import io.uniserve.protocol.tx.StrictRead;
import io.uniserve.protocol.tx.TransactionService;
import io.uniserve.server.read.CancellationScope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One query's plans, run by the client's machines on the plan's {@link QueryContext serial}, for which the planner's thread waits. */
final class ServerPlanContext implements PlanContext, Timers.Cancel {
    /** The machine ends a query at its deadline by itself; this only guards against waiting for ever. */
    private static final long SLACK_NANOS = 2_000_000_000L;

    private final QueryContext world;
    private final QueryReads reads;
    private final ClientContext env;
    private final QueryText query;
    private final ReadMode mode;
    /** False where the caller has a session. */
    private final boolean owned;

    private final UpdateContention updateContention;
    private boolean mustHold;
    private Optional<ReadSession> session;
    private final long deadlineNanos;
    private final CancellationScope cancellationScope;
    private volatile Runnable stop = () -> {};
    private final QueryStats queryStats;
    /** Of a table with atomic updates: whether all rounds are to see one version, and which. */
    private boolean oneVersion;

    private final ReadVersionTracker versions = new ReadVersionTracker();
    /** The same of a strict query, whose later rounds rest on no lease either. */
    private @Nullable ConsistentCut moment;

    private final QuerySnapshot together;
    private boolean sameCopies;

    ServerPlanContext(
            QueryContext world,
            QueryText query,
            ReadMode mode,
            Optional<ReadSession> session,
            UpdateContention updateContention,
            CancellationScope cancellationScope,
            QueryStats queryStats,
            long deadlineNanos) {
        this.world = world;
        this.reads = new QueryReads(world);
        this.env = world.env();
        this.mode = mode;
        this.updateContention = updateContention;
        this.cancellationScope = cancellationScope;
        this.queryStats = queryStats;
        this.session = session;
        this.owned = session.isEmpty();
        this.query = query;
        this.deadlineNanos = deadlineNanos;
        this.together = new QuerySnapshot(mode, this::settled);
    }

    /** Who waits for the answer. */
    CancellationScope caller() {
        return cancellationScope;
    }

    /** The calling thread plans the query. */
    void begin() {
        world.planner().begin();
    }

    /** The query is answered: its states are let go of, by workers, as nobody waits here any more. */
    void end() {
        world.planner().end();
        forgetStates();
        world.planner().runAll();
    }

    @Override
    public TableMeta table(TableName name) {
        Optional<TableRoute> known = env.routing().current().table(name);
        if (known.isEmpty()) {
            RouteIndex fresh = await(done -> env.routing().refresh(done::complete), () -> {});
            known = fresh.table(name);
        }
        return known.map(TableRoute::meta)
                .orElseThrow(() -> new UniserveException(
                        ErrorCode.TABLE_NOT_FOUND,
                        "table " + name + " does not exist; create it, or list the tables there are"));
    }

    @Override
    public void oneState() {
        oneVersion = true;
        if (session.isEmpty()) {
            session = Optional.of(
                    mustHold || updateContention.in(query.table())
                            ? new ReadSession(env.ids().next(), env.ids().next(), deadlineNanos)
                            : ReadSession.ofPresentStates(deadlineNanos));
        }
    }

    @Override
    public void sameCopies() {
        sameCopies = true;
    }

    @Override
    public void oneMoment(Set<TableName> tables) {
        together.want(tables.stream().filter(this::atomic).toList());
    }

    private boolean atomic(TableName table) {
        return TransactionService.serves(table(table).level());
    }

    private ReadSnapshot settled(List<TableName> tables) {
        List<Timers.Cancel> running = new ArrayList<>(); // touched on the serial only
        return await(
                done -> running.add(ReadSnapshot.settle(
                        env, world.network(), world.network(), mode, tables, deadlineNanos, done::complete)),
                () -> world.serial().execute(() -> running.forEach(Timers.Cancel::cancel)));
    }

    /**
     * The states that the plan saw were lost: the next plan has its own held, and so have those of other queries for a while; or
     * it sees another moment, after a pause.
     */
    void lostStates(int restarts) {
        queryStats.noteRestart();
        if (together.wanted()) {
            this.<Done>await(
                    done -> env.timers()
                            .after(QuerySnapshot.pauseNanos(restarts), () -> done.complete(Outcome.ok(Done.DONE))),
                    () -> {});
        }
        if (owned && session.isPresent() && session.get().holdsNothing()) {
            updateContention.noted(query.table());
        }
        mustHold = true;
        forgetStates();
    }

    /** Lets go of the states that the plan has seen, unless the caller's session holds them; the next plan sees others. */
    void forgetStates() {
        versions.forget();
        moment = null;
        together.forget();
        if (owned && session.isPresent()) {
            ReadSession ended = session.get();
            session = Optional.empty();
            world.serial().execute(() -> ended.release(env));
        }
    }

    /** True where another plan may succeed after one that lost the states it saw. */
    boolean mayStartAnew(int restarts, long tookNanos) {
        boolean left = together.wanted()
                ? QuerySnapshot.mayBegin(restarts, tookNanos, remainingNanos())
                : restarts < Limits.SESSION_RESTARTS_MAX && remainingNanos() > 0;
        return owned && !cancellationScope.gone() && left;
    }

    /** What the caller hears of a plan that is not begun anew. */
    UniserveException told(UniserveException error, int restarts) {
        boolean lost = error.code() == ErrorCode.VERSION_GONE && together.wanted();
        return lost ? QuerySnapshot.lost(error, restarts) : error;
    }

    @Override
    public List<Integer> actors(TableName name) {
        return chosen(name).orElseGet(() -> PlanContext.super.actors(name));
    }

    /** The actors that the caller chose; empty for all of the table's. */
    private Optional<List<Integer>> chosen(TableName name) {
        return name.equals(query.table()) && !query.actors().isEmpty() ? Optional.of(query.actors()) : Optional.empty();
    }

    @Override
    public <P, V, R> R retrieve(TableName table, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        return run(table, chosen(table), call, parameters, combiner);
    }

    @Override
    public <P, V, R> R retrieve(
            TableName table, Set<Integer> actors, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        return run(table, Optional.of(List.copyOf(new TreeSet<>(actors))), call, parameters, combiner);
    }

    /** Reads of tables without versions, and of one moment, wait for each other only at the end. */
    @Override
    public <P, V, R> List<R> retrieveAll(RetrieveCall<P, V> call, List<Asked<P>> all, Combiner<V, R> combiner) {
        boolean some = all.stream().anyMatch(one -> together.has(one.table()));
        Optional<ReadSnapshot> seen =
                some && all.size() > 1 && session.isEmpty() ? together.forReads() : Optional.empty();
        boolean apart = all.size() < 2
                || session.isPresent()
                || !all.stream()
                        .allMatch(one -> together.has(one.table())
                                ? seen.isPresent()
                                : mode != ReadMode.STRICT && !atomic(one.table()));
        if (apart) {
            return PlanContext.super.retrieveAll(call, all, combiner);
        }
        List<Query> queries = all.stream()
                .map(one -> new Query(
                                one.table(),
                                one.actors().size() == actors(one.table()).size()
                                        ? chosen(one.table())
                                        : Optional.of(List.copyOf(new TreeSet<>(one.actors()))),
                                named(one.table(), call.id()),
                                call.parameters().encode(one.parameters()),
                                mode,
                                deadlineNanos)
                        .ofSameCopies(sameCopies))
                .toList();
        ParallelReads run = new ParallelReads(queries.stream()
                .map(one -> together.has(one.table())
                        ? reads.asOf(seen.orElseThrow(), one)
                        : reads.present(one, Optional.empty()))
                .toList());
        long begun = nanos();
        List<QueryResult> results = await(run::start, run::cancel);
        long took = nanos() - begun;
        String how = queryStats.explains() ? ", one of " + queries.size() + " at the same time" : "";
        List<R> combined = new ArrayList<>(results.size());
        for (int i = 0; i < results.size(); i++) {
            combined.add(combined(noted(queries.get(i), results.get(i), how, took), call, combiner));
        }
        return combined;
    }

    @Override
    public boolean together(TableMeta table, Collection<TableMeta> others) {
        return shuffles()
                && mode != ReadMode.STRICT
                && Stream.concat(Stream.of(table), others.stream())
                        .noneMatch(one -> TransactionService.serves(one.level()))
                && env.routing()
                        .current()
                        .together(table.name(), Query.Beside.of(table, others, Bytes.EMPTY))
                        .isPresent();
    }

    @Override
    public <P, V, R> R retrieveBeside(
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
                named(table.name(), call.id()),
                call.parameters().encode(parameters),
                mode,
                deadlineNanos,
                Map.of(),
                Query.Beside.of(table, others, call.values().encode(elsewhere)));
        String how = queryStats.explains()
                ? others.stream().map(other -> other.name().value()).collect(Collectors.joining(", ", " beside ", ""))
                : "";
        return combined(noted(asked, how), call, combiner);
    }

    @Override
    public <P, V> Map<Integer, V> retrieveEach(
            TableName table, RetrieveCall<PerActorParameters<P>, V> call, Map<Integer, P> parameters) {
        Optional<List<Integer>> asked = Optional.of(List.copyOf(new TreeSet<>(parameters.keySet())));
        QueryResult result = run(table, asked, call, PerActorParameters.of(parameters));
        Map<Integer, V> values = new TreeMap<>();
        for (int i = 0; i < result.parts().size(); i++) {
            if (result.actors().get(i).size() != 1) {
                throw new UniserveException(
                        ErrorCode.PORT_PROTOCOL, "operator " + call.id() + " merges values; its planner wants each");
            }
            values.put(
                    result.actors().get(i).get(0),
                    call.values().decode(result.parts().get(i)));
        }
        return values;
    }

    @Override
    public boolean shuffles() {
        return owned && !oneVersion && session.isEmpty();
    }

    @Override
    public <P, V, R> Shuffle.Result<R> shuffle(Shuffle<P, V> plan, Combiner<V, R> combiner) {
        if (!shuffles()) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "a plan with a scatter sees its tables at moments of their own: use no session, and no one state");
        }
        ShuffleRun run = new ShuffleRun(world, mode, deadlineNanos, this::table);
        ShuffleMachine.Plan bare = run.plan(plan, this::actors);
        boolean actorsToo = !plan.chunksAlone() && plan.besides().stream().anyMatch(this::atomic);
        if (actorsToo) {
            seeTogether(plan.tables().stream().filter(this::atomic).toList());
        }
        boolean seen = actorsToo || plan.scatters().stream().anyMatch(scatter -> together.has(scatter.table()));
        if (seen && together.wanted()) {
            run.asOf(together.now(), actorsToo);
        }
        long begun = nanos();
        ShuffleMachine.Result result = await(
                future -> run.start(bare, future::complete),
                () -> world.serial().execute(run::cancel));
        long took = nanos() - begun;
        Shuffle.Result<R> told = run.result(plan, bare, result, combiner);
        queryStats.noteShuffle(plan, told, ShuffleRun.effort(result), took);
        return told;
    }

    /** What an operator reads beside its chunks is of their moment, or the plan is refused. */
    private void seeTogether(List<TableName> all) {
        if (!together.wanted()) {
            together.want(all);
        }
        for (TableName table : all) {
            if (mode != ReadMode.STALE && !together.has(table)) {
                throw UniserveException.invalid("the query sees one moment of other tables, and a map or gather of its"
                        + " plan may read rows of table " + table
                        + ": name that table for the moment too, or say that the plan is of chunks alone");
            }
        }
    }

    private <P, V, R> R run(
            TableName table,
            Optional<List<Integer>> actors,
            RetrieveCall<P, V> call,
            P parameters,
            Combiner<V, R> combiner) {
        return combined(run(table, actors, call, parameters), call, combiner);
    }

    private static <P, V, R> R combined(QueryResult result, RetrieveCall<P, V> call, Combiner<V, R> combiner) {
        List<V> values = new ArrayList<>(result.parts().size());
        for (Bytes part : result.parts()) {
            values.add(call.values().decode(part));
        }
        return combiner.combine(values);
    }

    private <P, V> QueryResult run(
            TableName table, Optional<List<Integer>> actors, RetrieveCall<P, V> call, P parameters) {
        Bytes encoded = call.parameters().encode(parameters);
        return noted(new Query(table, actors, named(table, call.id()), encoded, mode, deadlineNanos), "");
    }

    /** Reads, and keeps the receipt. */
    private QueryResult noted(Query asked, String how) {
        long begun = nanos();
        QueryResult result = read(asked.ofSameCopies(sameCopies));
        return noted(asked, result, how, nanos() - begun);
    }

    private QueryResult noted(Query asked, QueryResult result, String how, long nanos) {
        int all = queryStats.explains() ? table(asked.table()).partitioner().actors() : 0;
        queryStats.noteRetrieve(asked, all, result, how, nanos);
        return result;
    }

    @Override
    public Optional<String> here() {
        return Optional.of(world.here().value());
    }

    @Override
    public Taken taken() {
        return queryStats.taken();
    }

    /** The operator of this server's own build; UNSUPPORTED where a session is of another table. */
    private String named(TableName table, String operator) {
        if (!owned && !table.equals(query.table())) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "a session holds the state of table " + query.table() + " alone, and this query reads table "
                            + table + " too: ask it without a session");
        }
        return world.named(table(table).port(), operator);
    }

    private QueryResult read(Query asked) {
        boolean atomic = atomic(asked.table());
        if (!atomic && mode == ReadMode.STRICT) {
            throw ConsistentCutReader.noVersions(asked.table());
        }
        if (!atomic) {
            return present(asked, session);
        }
        if (!owned) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "sessions of table " + asked.table()
                            + " are not served, as its updates are atomic: every query sees one version of it anyway");
        }
        if (together.has(asked.table())) {
            return ofOneMoment(asked);
        }
        return switch (mode) {
            case LINEARIZABLE -> atVersion(asked);
            case STRICT -> atMoment(asked);
            case STALE -> anywhere(asked);
        };
    }

    private QueryResult present(Query asked, Optional<ReadSession> states) {
        return await(reads.present(asked, states));
    }

    /** States of any age cannot be found again by a later round. */
    private QueryResult anywhere(Query asked) {
        if (oneVersion) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "mode STALE is not served for this query of table " + asked.table()
                            + ", whose rounds must see one state: use the default mode");
        }
        return present(asked, Optional.empty());
    }

    /** A strict read of a table with atomic updates: of the moment that earlier rounds saw, where all are to see one. */
    private QueryResult atMoment(Query asked) {
        StrictRead.Result result = await(reads.strict(asked, oneVersion ? moment : null));
        moment = result.cut();
        return result.asQueryResult();
    }

    /** A read of a table with atomic updates: of the version that earlier rounds saw, where all are to see one. */
    private QueryResult atVersion(Query asked) {
        TableName table = asked.table();
        if (oneVersion) {
            versions.asks(table, asked.actors().orElseGet(() -> actors(table)));
        }
        SnapshotRead.Result result = await(reads.versioned(asked, versions.version(table), versions.tableId(table)));
        if (oneVersion) {
            versions.saw(table, result);
        }
        return result.asQueryResult();
    }

    /** A read of the plan's moment, or of the only table that it has, and whose version is the moment then. */
    private QueryResult ofOneMoment(Query asked) {
        Optional<ReadSnapshot> seen = together.forRead(asked.actors());
        if (seen.isEmpty()) {
            SnapshotRead.Result first = await(reads.versioned(asked, 0, 0));
            together.saw(asked.table(), asked.actors(), first);
            return first.asQueryResult();
        }
        return await(reads.asOf(seen.get(), asked));
    }

    @Override
    public long nanos() {
        return env.clock().nanos();
    }

    @Override
    public long remainingNanos() {
        return deadlineNanos - env.clock().nanos();
    }

    @Override
    public QueryCancellation.Watch whenGivenUp(Runnable stopping) {
        return cancellationScope.whenGone(stopping);
    }

    QueryStats receipts() {
        return queryStats;
    }

    @Override
    public void cancel() {
        cancellationScope.leave();
        stop.run();
    }

    private <T> T await(QueryReads.Run<T> run) {
        return await(run::start, run::cancel);
    }

    /** Starts something on the serial and waits for its outcome. */
    private <T> T await(Consumer<CompletableFuture<Outcome<T>>> start, Runnable onCancel) {
        if (cancellationScope.gone()) {
            throw new UniserveException(ErrorCode.CANCELLED, "the caller has gone");
        }
        CompletableFuture<Outcome<T>> future = new CompletableFuture<>();
        world.onBroken().set(future::completeExceptionally);
        stop = onCancel;
        world.serial().execute(() -> start.accept(future));
        if (cancellationScope.gone()) {
            onCancel.run();
        }
        world.planner().runAll();
        try {
            Outcome<T> outcome = future.get(Math.max(0, remainingNanos()) + SLACK_NANOS, TimeUnit.NANOSECONDS);
            if (outcome instanceof Outcome.Err<T> failed) {
                throw failed.error();
            }
            return outcome.value();
        } catch (TimeoutException e) {
            onCancel.run();
            throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "the query's deadline has passed", e);
        } catch (InterruptedException e) {
            onCancel.run();
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.UNAVAILABLE, "this server is shutting down", e);
        } catch (ExecutionException e) {
            onCancel.run();
            if (e.getCause() instanceof Error error) {
                throw error; // as if it had been thrown here: the caller tells memory that ran out from other errors
            }
            throw new UniserveException(ErrorCode.INTERNAL, "the query failed: " + e.getCause(), e);
        }
    }
}
