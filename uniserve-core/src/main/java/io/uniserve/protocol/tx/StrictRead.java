package io.uniserve.protocol.tx;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ConsistentCut;
import io.uniserve.protocol.message.VersionedRead;
import io.uniserve.protocol.reader.ClientContext;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryResult;
import io.uniserve.protocol.reader.ReadErrorAction;
import io.uniserve.protocol.reader.RouteIndex;
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
 * changed or a state is no longer kept, the read takes a new snapshot. The result is complete and of one snapshot, or an error.
 *
 * <p>Not thread-safe; the completion is called exactly once.
 */
public final class StrictRead {
    private static final long PAUSE_NANOS = 40_000_000;
    private static final long CUT_NANOS = 2_000_000_000;
    private static final long SLOW_NANOS = 2_500_000_000L;

    private final ClientContext env;
    private final ConsistentCutClient cuts;
    private final VersionWatermarks floors;
    private final List<Query> queries;
    private final Completion<List<Result>> completion;
    private final ScatterRead scatter;
    private final List<ServerId> tried = new ArrayList<>();
    private Timers.Cancel deadline = () -> {};
    private @Nullable ConsistentCut consistentCut;
    private boolean once;
    /** Flags: a replica has answered; the map differs from the snapshot, and all replicas are to be tried again. */
    private boolean answered;

    private boolean moved;
    /** Flags of a read with a given snapshot: a replica no longer keeps its state; a newer map was requested. */
    private boolean gone;

    private boolean looked;
    private int round;
    private final List<TableName> tables;
    private final @Nullable ConsistentCut fixed;

    /**
     * One query's values by actor, all of this version. The values of all queries are of one snapshot.
     *
     * @param cut the snapshot, for reads of later rounds
     * @param stats statistics of all queries together
     */
    public record Result(
            TableName table, long version, Map<Integer, Bytes> values, ConsistentCut cut, QueryResult.Stats stats) {
        /** A query result with one part per actor. */
        public QueryResult asQueryResult() {
            return new QueryResult(
                    List.copyOf(values.values()),
                    values.keySet().stream().map(List::of).toList(),
                    stats);
        }
    }

    /** @param queries of tables whose updates are atomic, with one deadline; their modes are not looked at */
    public StrictRead(
            ClientContext env,
            SnapshotReadClient network,
            ConsistentCutClient cuts,
            VersionWatermarks floors,
            List<Query> queries,
            Completion<List<Result>> completion) {
        this(env, network, cuts, floors, queries, null, completion);
    }

    /**
     * Reads a snapshot that an earlier read has taken.
     *
     * @param fixed that snapshot, of these queries' tables at least; null to take a new one. Fails with VERSION_GONE if, by a map that is
     *     newer than the question, no replica keeps the state any more
     */
    public StrictRead(
            ClientContext env,
            SnapshotReadClient network,
            ConsistentCutClient cuts,
            VersionWatermarks floors,
            List<Query> queries,
            @Nullable ConsistentCut fixed,
            Completion<List<Result>> completion) {
        this.fixed = fixed;
        this.tables = queries.stream().map(Query::table).distinct().toList();
        this.env = env;
        this.cuts = cuts;
        this.floors = floors;
        this.queries = List.copyOf(queries);
        this.completion = completion;
        this.scatter = new ScatterRead(env, network, queries, SLOW_NANOS, new Rules());
    }

    /**
     * For operators that store data where they run, and so must run for one snapshot only. If one has run and another snapshot is needed,
     * the read fails with VERSION_GONE. Call it before the start.
     */
    public StrictRead ofOneMoment() {
        once = true;
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
                    env.routing().current().table(table).flatMap(floors::restored);
            if (restored.isPresent()) {
                end(Outcome.err(restored.get()));
                return;
            }
        }
        begin();
    }

    /** Cancels the read; the completion gets CANCELLED. */
    public void cancel() {
        fail(ErrorCode.CANCELLED, "the query was cancelled");
    }

    private void fail(ErrorCode code, String message) {
        end(Outcome.err(new UniserveException(code, message)));
    }

    private void end(Outcome<List<Result>> outcome) {
        if (scatter.stop()) {
            deadline.cancel();
            drop();
            completion.done(outcome);
        }
    }

    private void drop() {
        round++;
        scatter.clear();
        consistentCut = null;
    }

    private void begin() {
        if (scatter.isStopped()) {
            return;
        }
        if (fixed != null) {
            take(fixed);
            return;
        }
        RouteIndex index = env.routing().current();
        List<ServerId> open = index.routing().servers().stream()
                .map(record -> record.id())
                .filter(id -> !tried.contains(id) && index.address(id).isPresent())
                .toList();
        if (open.isEmpty()) {
            tried.clear();
            later();
            return;
        }
        ServerId server = scatter.choice().draw(open, Map.of());
        Address address = index.address(server).orElseThrow();
        int asked = round;
        cuts.cut(address, tables, Math.max(1, Math.min(CUT_NANOS, scatter.left())), outcome -> {
            if (scatter.isStopped() || asked != round) {
                return;
            }
            if (outcome instanceof Outcome.Ok<ConsistentCut> ok) {
                take(ok.value());
            } else {
                UniserveException error = ((Outcome.Err<ConsistentCut>) outcome).error();
                scatter.note(server + ": " + error.code() + ": " + error.reason());
                tried.add(server);
                if (error.code() == ErrorCode.TABLE_NOT_FOUND || error.code() == ErrorCode.UNSUPPORTED) {
                    end(Outcome.err(error));
                } else if (cuts.oneForAll()) {
                    tried.clear();
                    later();
                } else {
                    begin();
                }
            }
        });
    }

    /** Takes another snapshot, after a pause and with a newer map. A read with a given snapshot tries all replicas again instead. */
    private void later() {
        if (fixed != null) {
            if (looked && !scatter.isPaused()) {
                fail(ErrorCode.VERSION_GONE, "the state that the query reads is not there any more: " + scatter.last());
            } else {
                looked = true; // the map here may be older than the moment
                scatter.retryAfterPause();
            }
            return;
        }
        if (once && answered) {
            fail(ErrorCode.VERSION_GONE, "the moment that the scatters are of is gone: " + scatter.last());
            return;
        }
        drop();
        int asked = round;
        env.routing()
                .refresh(refreshed -> env.timers().after(PAUSE_NANOS, () -> {
                    if (asked == round) {
                        begin();
                    }
                }));
    }

    private ConsistentCut.Table table(ConsistentCut of, int query) {
        return table(of, queries.get(query).table());
    }

    private static ConsistentCut.Table table(ConsistentCut of, TableName name) {
        return of.tables().stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("snapshot without table " + name));
    }

    private void take(ConsistentCut taken) {
        consistentCut = taken;
        moved = false;
        for (int i = 0; i < queries.size(); i++) {
            ConsistentCut.Table table = table(taken, i);
            int count = table.epochs().size();
            List<Integer> actors = new ArrayList<>(queries.get(i).actors().orElse(List.of()));
            for (int actor = 0; actor < count && queries.get(i).actors().isEmpty(); actor++) {
                actors.add(actor);
            }
            for (int actor : actors) {
                if (actor < 0 || actor >= count) {
                    fail(ErrorCode.INVALID_ARGUMENT, "no actor " + actor + ": number of actors: " + count);
                    return;
                }
                scatter.add(i, actor);
            }
        }
        next();
    }

    private void next() {
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
        public @Nullable ActorState find(RouteIndex index, ScatterRead.Slot slot) {
            List<ActorState> actors = index.table(queries.get(slot.query()).table())
                    .map(route -> route.map().actors())
                    .orElse(List.of());
            ActorState actor = slot.actor() < actors.size() ? actors.get(slot.actor()) : null;
            long epoch = table(slot.query()).epochs().get(slot.actor());
            if (actor == null || actor.epoch() != epoch) {
                scatter.note("the map is another one than at the moment of the read");
                moved = true;
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
            return !once;
        }

        @Override
        public boolean cancelsEnded() {
            return false;
        }

        @Override
        public VersionedRead request(int index, List<VersionedRead.Target> targets, int together) {
            Query query = queries.get(index);
            ConsistentCut.Table table = table(index);
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
            answered |= !reply.parts().isEmpty();
            gone |= reply.failures().stream().anyMatch(failure -> failure.code() == ErrorCode.VERSION_GONE);
        }

        @Override
        public ReadErrorAction meaning(ErrorCode code) {
            return code == ErrorCode.VERSION_GONE ? ReadErrorAction.RETRY : ReadErrorAction.of(code);
        }

        @Override
        public boolean isOutdated(ErrorCode code) {
            return fixed == null && (code == ErrorCode.VERSION_GONE || code == ErrorCode.STALE_EPOCH);
        }

        @Override
        public void advance(boolean outdated) {
            if (outdated) {
                later();
            } else {
                next(); // where the moment is given another replica may have its state yet
            }
        }

        @Override
        public void exhausted() {
            if (fixed != null ? !moved && !gone : once && answered && !moved) {
                scatter.retryAfterPause();
            } else {
                later();
            }
        }

        @Override
        public void retry() {
            moved = false;
            gone = false;
            next();
        }

        @Override
        public void fail(UniserveException error) {
            end(Outcome.err(error));
        }
    }

    /** A query's table as of the moment of the read. */
    private ConsistentCut.Table table(int query) {
        return table(Objects.requireNonNull(consistentCut), query);
    }

    /**
     * Reports TABLE_RESTORED if a table was restored since the start and this client has seen its earlier number. Returns false if the read
     * has ended so, or takes another snapshot.
     */
    private boolean told(ConsistentCut now) {
        for (int i = 0; i < tables.size(); i++) {
            Optional<TableRoute> route = route(i, table(now, tables.get(i)).tableId());
            if (route.isEmpty()) {
                scatter.note("the table has another number than at the moment of the read");
                later();
                return false;
            }
            Optional<UniserveException> restored = floors.restored(route.get());
            if (restored.isPresent()) {
                end(Outcome.err(restored.get()));
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
        ConsistentCut now = consistentCut;
        if (now == null || !told(now)) {
            return;
        }
        List<Result> results = new ArrayList<>();
        QueryResult.Stats stats = scatter.stats();
        for (int i = 0; i < queries.size(); i++) {
            ConsistentCut.Table table = table(now, i);
            TreeMap<Integer, Bytes> values = new TreeMap<>();
            for (ScatterRead.Slot slot : scatter.slots()) {
                if (slot.query() == i) {
                    values.put(slot.actor(), Objects.requireNonNull(slot.part()).value());
                }
            }
            floors.raise(table.tableId(), table.version(), env.clock().nanos());
            results.add(new Result(table.name(), table.version(), values, now, stats));
        }
        end(Outcome.ok(results));
    }
}
