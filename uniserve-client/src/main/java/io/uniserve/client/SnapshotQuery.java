package io.uniserve.client;

import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.tx.StrictRead;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads of several tables that all see one moment: of each table the newest version that was committed at a moment after
 * {@link #run} was called, the same for all, as one write of ZooKeeper confirms (mode {@link ReadMode#STRICT}). For tables whose
 * updates are atomic.
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
    private final List<Part<?>> parts = new ArrayList<>();
    private Duration deadline;
    private boolean ran;

    SnapshotQuery(ClientCore core) {
        this.core = core;
        this.deadline = core.options().queryDeadline();
    }

    /** One of the reads. */
    public static final class Part<R> {
        private final Combination<R> combination;
        private @Nullable R value;
        private long version;
        private boolean known;

        private Part(Combination<R> combination) {
            this.combination = combination;
        }

        private void take(StrictRead.Result result) {
            value = combination.of(result);
            version = result.version();
            known = true;
        }

        /** The combined value; INVALID_ARGUMENT before the cut has run. */
        public R value() {
            R present = value;
            if (!known || present == null) {
                throw UniserveException.invalid("the cut has not run: call run() first");
            }
            return present;
        }

        /** The version of the table that was read, 0 for that before the first; INVALID_ARGUMENT before the cut has run. */
        public long version() {
            value();
            return version;
        }
    }

    /** Makes one value of what the actors gave. */
    private interface Combination<R> {
        R of(StrictRead.Result result);
    }

    /**
     * Adds a read of actors of a table; its own mode and deadline are not looked at. A table may be read several times. The
     * combiner must not return null.
     */
    public <P, V, R> Part<R> add(
            ActorSelection actors, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        if (parts.size() == Limits.CUT_TABLES_MAX) {
            throw UniserveException.invalid("a cut has at most " + Limits.CUT_TABLES_MAX + " reads");
        }
        Part<R> part = new Part<>(result -> ActorSelection.combine(result.asQueryResult(), call, combiner));
        parts.add(part);
        queries.add(end -> actors.asked(call, parameters, ReadMode.STRICT, end));
        return part;
    }

    /** When to give up; more than 0, at most an hour. Default: the client's. */
    public SnapshotQuery deadline(Duration duration) {
        deadline = Deadlines.check("deadline", duration);
        return this;
    }

    /**
     * Reads; blocks. All parts have their values then, or there is an error and none has. Fails as {@link
     * ActorSelection#retrieve}, with UNSUPPORTED for a table of level EVENTUAL, and with INVALID_ARGUMENT without a read or when
     * called again.
     */
    public void run() {
        if (ran || parts.isEmpty()) {
            throw UniserveException.invalid(
                    ran ? "the cut has run: make another one" : "the cut has no reads: add one or more");
        }
        ran = true;
        long end = core.deadlineNanos(deadline);
        List<Query> asked = queries.stream().map(query -> query.apply(end)).toList();
        List<StrictRead.Result> results = ClientFuture.await(new QueryOperations(core).strict(asked, true));
        for (int i = 0; i < results.size(); i++) {
            parts.get(i).take(results.get(i));
        }
    }
}
