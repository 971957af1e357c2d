package io.uniserve.protocol.client.transaction;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.query.ReadErrorAction;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.VersionedRead;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * STRICT read of one or several tables (docs/protocol.md, section 4). A server confirms a snapshot of versions and epochs of all tables;
 * then replicas that are in sync in these epochs are read at these versions. It depends on no lease, and so on no clock. If an epoch has
 * changed or a state is no longer kept, the read takes a new snapshot. The result is complete and of one snapshot, or an error. Of a TIME
 * table it reads exactly the actors of the snapshot.
 *
 * <p>Not thread-safe; the completion is called exactly once.
 */
public final class StrictReadExecution {
    private static final long PAUSE_NANOS = 40_000_000;
    private static final long SNAPSHOT_TIMEOUT_NANOS = 2_000_000_000;
    private static final long SLOW_NANOS = 2_500_000_000L;

    private final ClientContext env;
    private final ConsistentSnapshotClient consistentCuts;
    private final VersionWatermarks watermarks;
    private final List<Query> queries;
    private final Completion<List<Result>> completion;
    private final ScatterReadExecution scatter;
    private final List<ServerId> triedServers = new ArrayList<>();
    private Timers.Cancel deadline = () -> {};
    private @Nullable ConsistentSnapshot consistentCut;
    private boolean singleSnapshot;
    /** Flags: a replica has answered; the map differs from the snapshot, and all replicas are to be tried again. */
    private boolean anyReplyReceived;

    private boolean mapChanged;
    /** Flags of a read with a given snapshot: a replica no longer keeps its state; a newer map was requested. */
    private boolean stateGone;

    private boolean mapRefreshed;
    /** True once all actors of the snapshot are chosen. A map that is older than the snapshot permits no choice. */
    private boolean actorsChosen;

    private int round;
    private final List<TableName> tables;
    private final @Nullable ConsistentSnapshot givenSnapshot;

    /**
     * One query's values by actor, all of this version. The values of all queries are of one snapshot.
     *
     * @param consistentCut the snapshot, for reads of later rounds
     * @param stats statistics of all queries together
     */
    public record Result(
            TableName table,
            long version,
            Map<Integer, Bytes> values,
            ConsistentSnapshot consistentCut,
            QueryResult.Stats stats) {
        /** A query result with one part per actor. */
        public QueryResult asQueryResult() {
            return new QueryResult(
                    List.copyOf(values.values()),
                    values.keySet().stream().map(List::of).toList(),
                    stats,
                    StrictReadExecution.table(consistentCut, table).generation());
        }
    }

    /** @param queries of tables whose updates are atomic, with one deadline; their modes are ignored */
    public StrictReadExecution(
            ClientContext env,
            SnapshotReadClient network,
            ConsistentSnapshotClient cuts,
            VersionWatermarks floors,
            List<Query> queries,
            Completion<List<Result>> completion) {
        this(env, network, cuts, floors, queries, null, completion);
    }

    /**
     * Reads a snapshot that an earlier read has taken.
     *
     * @param fixed that snapshot, of these queries' tables at least; null to take a new one. Fails with VERSION_GONE if no replica keeps
     *     the state any more, by a map that is newer than this call
     */
    public StrictReadExecution(
            ClientContext env,
            SnapshotReadClient network,
            ConsistentSnapshotClient cuts,
            VersionWatermarks floors,
            List<Query> queries,
            @Nullable ConsistentSnapshot fixed,
            Completion<List<Result>> completion) {
        this.givenSnapshot = fixed;
        this.tables = queries.stream().map(Query::table).distinct().toList();
        this.env = env;
        this.consistentCuts = cuts;
        this.watermarks = floors;
        this.queries = List.copyOf(queries);
        this.completion = completion;
        this.scatter = new ScatterReadExecution(env, network, queries, SLOW_NANOS, new Rules());
    }

    /**
     * For operators that store data where they run, and so must run for one snapshot only. If one has run and another snapshot is needed,
     * the read fails with VERSION_GONE. Call it before the start.
     */
    public StrictReadExecution requireSingleSnapshot() {
        singleSnapshot = true;
        return this;
    }

    /** Requests the snapshot from a server. */
    public void start() {
        deadline = env.timers()
                .after(
                        Math.max(1, scatter.left()),
                        () -> fail(
                                ErrorCode.DEADLINE_EXCEEDED, "no answer in time; the last failure: " + scatter.last()));
        for (TableName table : tables) {
            Optional<UniserveException> restored =
                    env.routing().current().table(table).flatMap(watermarks::checkRestored);
            if (restored.isPresent()) {
                complete(Outcome.err(restored.get()));
                return;
            }
        }
        takeSnapshot();
    }

    /** Cancels the read; the completion gets CANCELLED. */
    public void cancel() {
        fail(ErrorCode.CANCELLED, "the query was cancelled");
    }

    private void fail(ErrorCode code, String message) {
        complete(Outcome.err(new UniserveException(code, message)));
    }

    private void complete(Outcome<List<Result>> outcome) {
        if (scatter.stop()) {
            deadline.cancel();
            discardSnapshot();
            completion.done(outcome);
        }
    }

    private void discardSnapshot() {
        round++;
        scatter.clear();
        consistentCut = null;
    }

    private void takeSnapshot() {
        if (scatter.isStopped()) {
            return;
        }
        if (givenSnapshot != null) {
            useSnapshot(givenSnapshot);
            return;
        }
        RouteIndex index = env.routing().current();
        List<ServerId> open = index.routing().servers().stream()
                .map(record -> record.id())
                .filter(id -> !triedServers.contains(id) && index.address(id).isPresent())
                .toList();
        if (open.isEmpty()) {
            triedServers.clear();
            retryWithNewSnapshot();
            return;
        }
        ServerId server = scatter.choice().choose(open, Map.of());
        Address address = index.address(server).orElseThrow();
        int asked = round;
        consistentCuts.requestConsistentCut(
                address, tables, Math.max(1, Math.min(SNAPSHOT_TIMEOUT_NANOS, scatter.left())), outcome -> {
                    if (scatter.isStopped() || asked != round) {
                        return;
                    }
                    if (outcome instanceof Outcome.Ok<ConsistentSnapshot> ok) {
                        useSnapshot(ok.value());
                    } else {
                        UniserveException error = ((Outcome.Err<ConsistentSnapshot>) outcome).error();
                        scatter.note(server + ": " + error.code() + ": " + error.reason());
                        triedServers.add(server);
                        if (error.code() == ErrorCode.TABLE_NOT_FOUND || error.code() == ErrorCode.UNSUPPORTED) {
                            complete(Outcome.err(error));
                        } else if (consistentCuts.isSingleServer()) {
                            triedServers.clear();
                            retryWithNewSnapshot();
                        } else {
                            takeSnapshot();
                        }
                    }
                });
    }

    /** Takes another snapshot, after a pause and with a newer map. A read with a given snapshot tries all replicas again instead. */
    private void retryWithNewSnapshot() {
        if (givenSnapshot != null) {
            if (mapRefreshed && !scatter.isPaused()) {
                fail(ErrorCode.VERSION_GONE, "the state that the query reads is no longer kept: " + scatter.last());
            } else {
                mapRefreshed = true; // the local map may be older than the snapshot
                scatter.retryAfterPause();
            }
            return;
        }
        if (singleSnapshot && anyReplyReceived) {
            fail(ErrorCode.VERSION_GONE, "the snapshot of the scatters is no longer kept: " + scatter.last());
            return;
        }
        discardSnapshot();
        int asked = round;
        env.routing()
                .refresh(refreshed -> env.timers().after(PAUSE_NANOS, () -> {
                    if (asked == round) {
                        takeSnapshot();
                    }
                }));
    }

    private ConsistentSnapshot.Table table(ConsistentSnapshot of, int query) {
        return table(of, queries.get(query).table());
    }

    private static ConsistentSnapshot.Table table(ConsistentSnapshot of, TableName name) {
        return of.tables().stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("snapshot without table " + name));
    }

    private void useSnapshot(ConsistentSnapshot taken) {
        consistentCut = taken;
        mapChanged = false;
        actorsChosen = false;
        scatter.clear();
        for (int i = 0; i < queries.size(); i++) {
            ConsistentSnapshot.Table table = table(taken, i);
            List<Integer> actors;
            if (queries.get(i).choice().isPresent()) {
                Optional<TableRoute> route = env.routing().current().table(table.name());
                if (route.isEmpty() || route.get().map().generation() < table.generation()) {
                    scatter.note("the map is older than the snapshot of table " + table.name());
                    retryWithNewSnapshot();
                    return;
                }
                actors = queries.get(i).choice().get().apply(route.get());
            } else {
                actors = queries.get(i).actors().orElse(table.actors());
            }
            for (int actor : actors) {
                if (table.has(actor)) {
                    scatter.add(i, actor);
                } else if (!table.isOfChunks()) {
                    fail(
                            ErrorCode.INVALID_ARGUMENT,
                            "no actor " + actor + ": number of actors: "
                                    + table.actors().size());
                    return;
                } // else its chunk is expired or was made later: it has no rows in the snapshot
            }
        }
        actorsChosen = true;
        succeedOrDispatch();
    }

    private void succeedOrDispatch() {
        if (scatter.isComplete()) {
            succeed();
        } else {
            scatter.dispatch();
        }
    }

    private final class Rules implements ScatterPolicy {
        /**
         * Sends requests for all actors without an answer and without a call under way, to replicas that are in sync in the snapshot's epoch.
         */
        @Override
        public @Nullable ActorState find(RouteIndex index, ScatterReadExecution.Slot slot) {
            ActorState actor = index.table(queries.get(slot.query()).table())
                    .map(route -> route.map().find(slot.actor()))
                    .orElse(null);
            long epoch = table(slot.query()).epoch(slot.actor()).orElseThrow();
            if (actor == null || actor.epoch() != epoch) {
                scatter.note("the map is another one than at the moment of the read");
                mapChanged = true;
                return null;
            }
            return actor;
        }

        @Override
        public boolean sendsPartly() {
            return false;
        }

        @Override
        public boolean asksBeside() {
            return !singleSnapshot;
        }

        @Override
        public boolean cancelsEnded() {
            return false;
        }

        @Override
        public VersionedRead request(int index, List<VersionedRead.Target> targets, int together) {
            Query query = queries.get(index);
            ConsistentSnapshot.Table table = table(index);
            return new VersionedRead(
                    query.table(),
                    table.tableId(),
                    targets,
                    query.operator(),
                    query.parameters(),
                    table.version(),
                    false,
                    true,
                    Math.max(1, scatter.left()));
        }

        @Override
        public void received(VersionedRead.Reply reply) {
            anyReplyReceived |= !reply.parts().isEmpty();
            stateGone |= reply.failures().stream().anyMatch(failure -> failure.code() == ErrorCode.VERSION_GONE);
        }

        @Override
        public ReadErrorAction meaning(ErrorCode code) {
            return code == ErrorCode.VERSION_GONE ? ReadErrorAction.RETRY : ReadErrorAction.of(code);
        }

        @Override
        public boolean isOutdated(ErrorCode code) {
            return givenSnapshot == null && (code == ErrorCode.VERSION_GONE || code == ErrorCode.STALE_EPOCH);
        }

        @Override
        public void advance(boolean outdated) {
            if (outdated) {
                retryWithNewSnapshot();
            } else {
                succeedOrDispatch(); // with a given snapshot, another replica may still have its state
            }
        }

        @Override
        public void exhausted() {
            if (givenSnapshot != null ? !mapChanged && !stateGone : singleSnapshot && anyReplyReceived && !mapChanged) {
                scatter.retryAfterPause();
            } else {
                retryWithNewSnapshot();
            }
        }

        @Override
        public void retry() {
            mapChanged = false;
            stateGone = false;
            if (actorsChosen) {
                succeedOrDispatch();
            } else {
                useSnapshot(Objects.requireNonNull(consistentCut));
            }
        }

        @Override
        public void fail(UniserveException error) {
            complete(Outcome.err(error));
        }
    }

    /** A query's table as of the snapshot of the read. */
    private ConsistentSnapshot.Table table(int query) {
        return table(Objects.requireNonNull(consistentCut), query);
    }

    /**
     * Reports TABLE_RESTORED if a table was restored since the start and this client has seen its earlier number. Returns false if the read
     * has ended so, or takes another snapshot.
     */
    private boolean checkNotRestored(ConsistentSnapshot now) {
        for (int i = 0; i < tables.size(); i++) {
            Optional<TableRoute> route = route(i, table(now, tables.get(i)).tableId());
            if (route.isEmpty()) {
                scatter.note("the table has another number than at the moment of the read");
                retryWithNewSnapshot();
                return false;
            }
            Optional<UniserveException> restored = watermarks.checkRestored(route.get());
            if (restored.isPresent()) {
                complete(Outcome.err(restored.get()));
                return false;
            }
        }
        return true;
    }

    private Optional<TableRoute> route(int table, long number) {
        return env.routing()
                .current()
                .table(tables.get(table))
                .filter(route -> route.meta().tableId() == number);
    }

    private void succeed() {
        ConsistentSnapshot now = consistentCut;
        if (now == null || !checkNotRestored(now)) {
            return;
        }
        List<Result> results = new ArrayList<>();
        QueryResult.Stats stats = scatter.stats();
        for (int i = 0; i < queries.size(); i++) {
            ConsistentSnapshot.Table table = table(now, i);
            TreeMap<Integer, Bytes> values = new TreeMap<>();
            for (ScatterReadExecution.Slot slot : scatter.slots()) {
                if (slot.query() == i) {
                    values.put(slot.actor(), Objects.requireNonNull(slot.part()).value());
                }
            }
            watermarks.raise(table.tableId(), table.version(), env.clock().nanos());
            results.add(new Result(table.name(), table.version(), values, now, stats));
        }
        complete(Outcome.ok(results));
    }
}
