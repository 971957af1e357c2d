package io.uniserve.server.read.worker;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RunningQuery;
import io.uniserve.model.RunningQuery.State;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** List of the reads and plans that run on a server, by number, each with its cancellation. Thread-safe. */
public final class RunningQueryRegistry {
    /** Operator name of a query in an engine's own language. */
    public static final String PLAN = "plan";

    private static final long STUCK_AFTER_NANOS = 1_000_000_000;

    private final Clock clock;
    private final AtomicLong numbers;
    private final Map<Long, Entry> entries = new ConcurrentHashMap<>();

    /**
     * Creates an empty list.
     *
     * @param first first number; it should be far from those of other servers
     */
    public RunningQueryRegistry(Clock clock, long first) {
        this.clock = clock;
        this.numbers = new AtomicLong(first);
    }

    /**
     * Adds a query. The entry must be closed when the query has ended.
     *
     * @param deadline when it ends, and by which limit
     */
    public Entry add(FairShareKey share, String operator, QueryDeadline deadline, Timers.Cancel cancel) {
        Entry entry = new Entry(nextId(), share, operator, deadline, cancel);
        entries.put(entry.id, entry);
        return entry;
    }

    private long nextId() {
        long number = numbers.incrementAndGet();
        return number == 0 ? numbers.incrementAndGet() : number;
    }

    /** All queries, longest running first. */
    public List<RunningQuery> list() {
        long now = clock.nanos();
        return entries.values().stream()
                .map(entry -> entry.toRunningQuery(now))
                .sorted((a, b) -> Long.compare(b.runningNanos(), a.runningNanos()))
                .toList();
    }

    /** Cancels a query and returns it; empty if there is none with this number. */
    public Optional<RunningQuery> cancel(long id) {
        Entry entry = entries.get(id);
        if (entry == null) {
            return Optional.empty();
        }
        entry.killed = true;
        entry.end();
        return Optional.of(entry.toRunningQuery(clock.nanos()));
    }

    /** Cancels all queries. */
    public void cancelAll() {
        entries.values().forEach(Entry::end);
    }

    /** One query. */
    public final class Entry implements AutoCloseable {
        private final long id;
        private final FairShareKey share;
        private final String operator;
        private final QueryDeadline deadline;
        private final Timers.Cancel cancel;
        private final long startNanos = clock.nanos();
        private volatile boolean started;
        private volatile boolean cancelled;
        private volatile boolean killed;
        private volatile long cancelledNanos;

        private Entry(long id, FairShareKey share, String operator, QueryDeadline deadline, Timers.Cancel cancel) {
            this.id = id;
            this.share = share;
            this.operator = operator;
            this.deadline = deadline;
            this.cancel = cancel;
        }

        /** Records that a thread has started to work on the query. */
        public void markStarted() {
            started = true;
        }

        /** Records that the caller has disconnected or the query is cancelled. */
        public void markCancelled() {
            if (!cancelled) {
                cancelledNanos = clock.nanos();
                cancelled = true;
            }
        }

        /**
         * Maps an error for the client. A query that was ended on purpose gets QUERY_KILLED, so that the client does not retry it.
         */
        public UniserveException toClientError(UniserveException error) {
            if (killed && error.code() == ErrorCode.CANCELLED) {
                return new UniserveException(ErrorCode.QUERY_KILLED, "an operator ended the query", error);
            }
            return deadline.toClientError(error);
        }

        private void end() {
            markCancelled();
            cancel.cancel();
        }

        private RunningQuery toRunningQuery(long now) {
            return new RunningQuery(id, share.table(), share.client(), operator, now - startNanos, state(now));
        }

        private State state(long now) {
            long over = Math.max(now - deadline.nanos(), cancelled ? now - cancelledNanos : Long.MIN_VALUE);
            if (over >= 0) {
                return over > STUCK_AFTER_NANOS ? State.STUCK : State.ENDING;
            }
            return started ? State.RUNNING : State.QUEUED;
        }

        @Override
        public void close() {
            entries.remove(id);
        }
    }
}
