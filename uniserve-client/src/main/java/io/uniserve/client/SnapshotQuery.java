package io.uniserve.client;

import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.message.client.ReadMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads of several tables in one snapshot. Each table is read at its newest version that was committed at one time after the call of {@link
 * #run}, the same for all tables, as confirmed by a write in ZooKeeper (mode {@link ReadMode#STRICT}). For atomic tables.
 *
 * <pre>{@code
 * SnapshotQuery cut = client.cut();
 * SnapshotQuery.Part<Long> in = cut.add(client.table("deposits").all(), SUM, "amount", total);
 * SnapshotQuery.Part<Long> out = cut.add(client.table("payments").all(), SUM, "amount", total);
 * cut.run();
 * long balance = in.value() - out.value();
 * }</pre>
 *
 * <p>Run once. Not thread-safe.
 */
public final class SnapshotQuery {
    private final ClientCore core;
    private final List<LongFunction<Query>> queries = new ArrayList<>();
    private final List<Result<?>> reads = new ArrayList<>();
    private Duration deadline;
    private boolean ran;

    SnapshotQuery(ClientCore core) {
        this.core = core;
        this.deadline = core.options().queryDeadline();
    }

    /** Result of one of the reads. */
    public static final class Result<R> {
        private final Combination<R> combination;
        private @Nullable R value;
        private long version;
        private boolean completed;

        private Result(Combination<R> combination) {
            this.combination = combination;
        }

        private void complete(StrictReadExecution.Result result) {
            value = combination.of(result);
            version = result.version();
            completed = true;
        }

        /** Combined value. Fails with INVALID_ARGUMENT before the query has run. */
        public R value() {
            R present = value;
            if (!completed || present == null) {
                throw UniserveException.invalid("the snapshot query has not run: call run() first");
            }
            return present;
        }

        /** Version of the table that was read; 0 before its first version. Fails with INVALID_ARGUMENT before the query has run. */
        public long version() {
            value();
            return version;
        }
    }

    /** Function from the actors' partial values to the combined value. */
    private interface Combination<R> {
        R of(StrictReadExecution.Result result);
    }

    /**
     * Adds a read of actors of a table; the selection's own mode and deadline are ignored. A table may be read several times. The
     * combiner must not return null.
     */
    public <P, V, R> Result<R> add(
            ActorSelection actors, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        if (reads.size() == Limits.CUT_TABLES_MAX) {
            throw UniserveException.invalid("a snapshot query has at most " + Limits.CUT_TABLES_MAX + " reads");
        }
        Result<R> part = new Result<>(result -> ActorSelection.combine(result.asQueryResult(), call, combiner));
        reads.add(part);
        queries.add(end -> actors.toQuery(call, parameters, ReadMode.STRICT, end));
        return part;
    }

    /** Sets the deadline, more than 0 and at most an hour. Default: the client's. */
    public SnapshotQuery deadline(Duration duration) {
        deadline = DeadlineValidator.check("deadline", duration);
        return this;
    }

    /**
     * Runs all reads. Blocks. Then all parts have values, or the call fails and none has. Fails as {@link ActorSelection#retrieve};
     * with UNSUPPORTED for a table of level EVENTUAL; with INVALID_ARGUMENT without a read or at a second call.
     */
    public void run() {
        if (ran || reads.isEmpty()) {
            throw UniserveException.invalid(
                    ran ? "the snapshot query has run: create another one" : "no reads: add at least one");
        }
        ran = true;
        long end = core.deadlineNanos(deadline);
        List<Query> asked = queries.stream().map(query -> query.apply(end)).toList();
        List<StrictReadExecution.Result> results =
                ClientFuture.await(new QueryOperationFactory(core).readStrict(asked, true));
        for (int i = 0; i < results.size(); i++) {
            reads.get(i).complete(results.get(i));
        }
    }
}
