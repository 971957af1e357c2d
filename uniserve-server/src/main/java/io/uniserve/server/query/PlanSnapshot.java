package io.uniserve.server.query;

import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.query.ReadSession;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.transaction.AtomicTablesSnapshot;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.transaction.server.ConsistentSnapshotReader;
import io.uniserve.protocol.transaction.server.TransactionService;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot of the tables that one plan reads: newest states, states that a session holds, or versions of tables with atomic updates. If a
 * state is lost, a read fails with VERSION_GONE, and {@link #lost} prepares another attempt. Runs on the planner's thread only.
 */
final class PlanSnapshot {
    private final QueryContext world;
    private final QueryReadFactory reads;
    private final ClientContext env;
    private final PlannerOutcomeWaiter wait;
    private final PlanContext plan;
    private final TableName table;
    private final ReadMode mode;
    /** False if the caller has a session. */
    private final boolean owned;

    private final UpdateContentionTracker updateContention;
    private final long deadlineNanos;
    private final ReadVersionTracker versions = new ReadVersionTracker();
    private final QuerySnapshot together;
    private Optional<ReadSession> session;
    private boolean mustHold;
    /** True if all rounds see one version of a table with atomic updates. */
    private boolean oneVersion;
    /** The snapshot of the first round of a strict query. Later rounds do not depend on leases either. */
    private @Nullable ConsistentSnapshot moment;

    /** Independent reads of one snapshot, or of newest states. */
    @FunctionalInterface
    interface View {
        /** Creates the read without starting it. */
        QueryReadFactory.Read<QueryResult> read(Query asked);
    }

    /** @param table the table that the query names; a session holds states of this table only */
    PlanSnapshot(
            QueryContext world,
            PlannerOutcomeWaiter wait,
            PlanContext plan,
            TableName table,
            ReadMode mode,
            Optional<ReadSession> session,
            UpdateContentionTracker updateContention,
            long deadlineNanos) {
        this.world = world;
        this.reads = new QueryReadFactory(world);
        this.env = world.env();
        this.wait = wait;
        this.plan = plan;
        this.table = table;
        this.mode = mode;
        this.session = session;
        this.owned = session.isEmpty();
        this.updateContention = updateContention;
        this.deadlineNanos = deadlineNanos;
        this.together = new QuerySnapshot(mode, this::settle);
    }

    /** Makes all rounds see one state per table. */
    void oneState() {
        oneVersion = true;
        if (session.isEmpty()) {
            session = Optional.of(
                    mustHold || updateContention.contains(table)
                            ? new ReadSession(env.ids().next(), env.ids().next(), deadlineNanos)
                            : ReadSession.withoutHolding(deadlineNanos));
        }
    }

    /** Makes all rounds see one snapshot of those tables that have atomic updates. */
    void oneMoment(Collection<TableName> tables) {
        together.request(tables.stream().filter(this::atomic).toList());
    }

    /** True if rounds share a state, because of a session or at the planner's request. */
    boolean isShared() {
        return !owned || oneVersion || session.isPresent();
    }

    private boolean atomic(TableName name) {
        return TransactionService.isAtomic(plan.table(name).level());
    }

    private AtomicTablesSnapshot settle(List<TableName> tables) {
        List<Timers.Cancel> running = new ArrayList<>(); // accessed on the serial executor only
        return wait.await(
                done -> running.add(AtomicTablesSnapshot.take(
                        env, world.network(), world.network(), mode, tables, deadlineNanos, done::complete)),
                () -> world.serialExecutor().execute(() -> running.forEach(Timers.Cancel::cancel)));
    }

    /** Reads the query's table in the state that this plan sees. */
    QueryResult read(Query asked) {
        if (!atomic(asked.table())) {
            if (mode == ReadMode.STRICT) {
                throw ConsistentSnapshotReader.notAtomicError(asked.table());
            }
            return wait.await(reads.readCurrentState(asked, session));
        }
        if (!owned) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "sessions of table " + asked.table()
                            + " are not served, as its updates are atomic: every query sees one version of it anyway");
        }
        if (together.covers(asked.table())) {
            return ofOneMoment(asked);
        }
        return switch (mode) {
            case LINEARIZABLE -> atVersion(asked);
            case STRICT -> atMoment(asked);
            case STALE -> anywhere(asked);
        };
    }

    /** Reads of these tables that need not wait for each other; empty if they depend on each other, or there is only one. */
    Optional<View> ofIndependentReads(List<TableName> tables) {
        if (tables.size() < 2 || session.isPresent()) {
            return Optional.empty();
        }
        Optional<AtomicTablesSnapshot> seen =
                tables.stream().anyMatch(together::covers) ? together.forReads() : Optional.empty();
        boolean independent = tables.stream()
                .allMatch(name -> together.covers(name) ? seen.isPresent() : mode != ReadMode.STRICT && !atomic(name));
        return independent
                ? Optional.of(asked -> together.covers(asked.table())
                        ? reads.readSnapshot(seen.orElseThrow(), asked)
                        : reads.readCurrentState(asked, Optional.empty()))
                : Optional.empty();
    }

    /** True if operators of a plan with scatters read rows of tables with atomic updates in addition to their chunks. */
    boolean actorsToo(Shuffle<?, ?> shuffle) {
        return !shuffle.chunksOnly() && shuffle.mapAndGatherTables().stream().anyMatch(this::atomic);
    }

    /**
     * The snapshot that a plan with scatters sees; empty if it sees newest states.
     *
     * @param actorsToo see {@link #actorsToo}; the plan is rejected unless the snapshot covers all its tables
     */
    Optional<AtomicTablesSnapshot> ofShuffle(Shuffle<?, ?> shuffle, boolean actorsToo) {
        if (actorsToo) {
            seeTogether(shuffle.tables().stream().filter(this::atomic).toList());
        }
        boolean seen = actorsToo || shuffle.scatters().stream().anyMatch(scatter -> together.covers(scatter.table()));
        return seen && together.isRequested() ? Optional.of(together.forAllActors()) : Optional.empty();
    }

    private void seeTogether(List<TableName> all) {
        if (!together.isRequested()) {
            together.request(all);
        }
        for (TableName name : all) {
            if (mode != ReadMode.STALE && !together.covers(name)) {
                throw UniserveException.invalid("the query reads a snapshot of other tables, and a map or gather of its"
                        + " plan may read rows of table " + name
                        + ": include that table in the snapshot, or declare that the plan reads chunks only");
            }
        }
    }

    /** A read of mode STALE, which is rejected if rounds share a state: a later round could not find the same state. */
    private QueryResult anywhere(Query asked) {
        if (oneVersion) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "mode STALE is not served for this query of table " + asked.table()
                            + ", whose rounds must see one state: use the default mode");
        }
        return wait.await(reads.readCurrentState(asked, Optional.empty()));
    }

    /** A strict read; of the snapshot of earlier rounds if all rounds see one. */
    private QueryResult atMoment(Query asked) {
        StrictReadExecution.Result result = wait.await(reads.readStrict(asked, oneVersion ? moment : null));
        moment = result.consistentCut();
        return result.asQueryResult();
    }

    /** A read of one version; the version of earlier rounds if all rounds see one. */
    private QueryResult atVersion(Query asked) {
        TableName name = asked.table();
        if (oneVersion) {
            versions.recordActors(name, asked.actors().orElseGet(() -> plan.actors(name)));
        }
        SnapshotReadExecution.Result result =
                wait.await(reads.readVersion(asked, versions.version(name), versions.tableId(name)));
        if (oneVersion) {
            versions.recordResult(name, result);
        }
        return result.asQueryResult();
    }

    /** A read of the plan's snapshot. If the plan has a single table, its first read sets the snapshot by its version. */
    private QueryResult ofOneMoment(Query asked) {
        Optional<AtomicTablesSnapshot> seen = together.forRead(asked.actors());
        if (seen.isEmpty()) {
            SnapshotReadExecution.Result first = wait.await(reads.readVersion(asked, 0, 0));
            together.recordFirstRead(asked.table(), asked.actors(), first);
            return first.asQueryResult();
        }
        return wait.await(reads.readSnapshot(seen.get(), asked));
    }

    /**
     * Prepares another attempt after the states that the plan saw were lost. Servers hold the states of the next attempt, and those of
     * other queries for some time. A plan with a snapshot gets a new one instead, after a pause.
     */
    void lost(int restarts) {
        if (together.isRequested()) {
            wait.<Done>await(
                    done -> env.timers()
                            .after(QuerySnapshot.pauseNanos(restarts), () -> done.complete(Outcome.ok(Done.DONE))),
                    () -> {});
        }
        if (owned && session.isPresent() && session.get().isCurrentOnly()) {
            updateContention.record(table);
        }
        mustHold = true;
        forget();
    }

    /** Releases the states that the plan has seen, unless the caller's session holds them. The next attempt sees other states. */
    void forget() {
        versions.discard();
        moment = null;
        together.discard();
        if (owned && session.isPresent()) {
            ReadSession ended = session.get();
            session = Optional.empty();
            world.serialExecutor().execute(() -> ended.release(env));
        }
    }

    /** True if another attempt may succeed after one that lost its states. */
    boolean mayStartAnew(int restarts, long tookNanos) {
        boolean left = together.isRequested()
                ? QuerySnapshot.mayRestart(restarts, tookNanos, wait.remainingNanos())
                : restarts < Limits.SESSION_RESTARTS_MAX && wait.remainingNanos() > 0;
        return owned && !wait.isCancelled() && left;
    }

    /** The caller's error if the plan is not attempted again. */
    UniserveException told(UniserveException error, int restarts) {
        boolean lost = error.code() == ErrorCode.VERSION_GONE && together.isRequested();
        return lost ? QuerySnapshot.finalError(error, restarts) : error;
    }
}
