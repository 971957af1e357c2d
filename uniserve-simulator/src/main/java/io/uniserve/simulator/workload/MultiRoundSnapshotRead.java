package io.uniserve.simulator.workload;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.transaction.AtomicTablesSnapshot;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.simulator.kernel.Prng;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Plan of several rounds at one snapshot, as a planner's host runs it, with time between the rounds for updates and crashes of servers. If
 * a state is gone, it restarts with a new snapshot. Each round must be a correct read of the snapshot's version.
 */
final class MultiRoundSnapshotRead {
    private static final long SECOND = 1_000_000_000L;
    private static final long SHORT_NANOS = 3_000_000;
    private static final long PAUSE_NANOS = 100_000_000;

    private final Prng random;
    private final ClientContext env;
    private final SnapshotReadClient network;
    private final ConsistentSnapshotClient cuts;
    private final TableName table;
    private final ReadMode mode;
    private final long deadlineNanos;
    private final Supplier<TreeSet<Integer>> actors;
    private final BiFunction<TreeSet<Integer>, Long, Query> queries;
    private final Listener listener;
    private final int rounds;
    private int restarts;

    /** Listener to the results of rounds and to the end. */
    interface Listener {
        /** Called with the result of a round, at this version of the table with this number. The plan may restart after it. */
        void onRound(ConsistentSnapshot.Table of, TreeSet<Integer> actors, QueryResult result);

        /** Called once, at the end of the plan. */
        void onEnded(Optional<UniserveException> error, String what);
    }

    /**
     * @param actors draws the actors of a round
     * @param queries makes a query of these actors with this deadline
     */
    MultiRoundSnapshotRead(
            Prng random,
            ClientContext env,
            SnapshotReadClient network,
            ConsistentSnapshotClient cuts,
            TableName table,
            ReadMode mode,
            long deadlineNanos,
            Supplier<TreeSet<Integer>> actors,
            BiFunction<TreeSet<Integer>, Long, Query> queries,
            Listener heard) {
        this.random = random;
        this.env = env;
        this.network = network;
        this.cuts = cuts;
        this.table = table;
        this.mode = mode;
        this.deadlineNanos = deadlineNanos;
        this.actors = actors;
        this.queries = queries;
        this.listener = heard;
        this.rounds = random.between(2, 4);
    }

    void start() {
        AtomicTablesSnapshot.take(env, network, cuts, mode, List.of(table), deadlineNanos, outcome -> {
            if (outcome instanceof Outcome.Ok<AtomicTablesSnapshot> ok) {
                round(ok.value(), 1);
            } else {
                failed(outcome.error());
            }
        });
    }

    private void round(AtomicTablesSnapshot readSnapshot, int number) {
        TreeSet<Integer> asked = actors.get();
        readSnapshot.read(env, network, cuts, queries.apply(asked, deadlineNanos), outcome -> {
            if (outcome instanceof Outcome.Err<QueryResult> failed) {
                failed(failed.error());
                return;
            }
            ConsistentSnapshot.Table of = readSnapshot.table(table).orElseThrow();
            listener.onRound(of, asked, outcome.value());
            if (number == rounds) {
                listener.onEnded(
                        Optional.empty(),
                        rounds + " rounds at version " + of.version() + ", " + restarts + " restarts");
            } else {
                long pause = random.below(3) == 0 ? 2 * SECOND : SHORT_NANOS;
                env.timers().after(random.below(pause), () -> round(readSnapshot, number + 1));
            }
        });
    }

    private void failed(UniserveException error) {
        boolean again = error.code() == ErrorCode.VERSION_GONE
                && restarts < Limits.PLAN_MOMENTS_MAX
                && env.clock().nanos() < deadlineNanos;
        if (again) {
            restarts++;
            env.timers().after(PAUSE_NANOS, this::start);
        } else {
            listener.onEnded(Optional.of(error), restarts + " restarts");
        }
    }
}
