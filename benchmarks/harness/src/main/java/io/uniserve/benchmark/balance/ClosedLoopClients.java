package io.uniserve.benchmark.balance;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Clients in a closed loop: each sends its next query when it has the answer to the last. Queries are numbered over all clients and
 * windows. Failed and wrong queries are counted, and the loop goes on. Not thread-safe.
 */
public final class ClosedLoopClients {
    /** Pause of a client after a failed query, so that a cluster that rejects everything is not flooded. */
    private static final long FAILURE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final int clients;
    private final LongSupplier nanos;
    private final AtomicLong next = new AtomicLong();

    public ClosedLoopClients(int clients, LongSupplier nanos) {
        this.clients = clients;
        this.nanos = nanos;
    }

    /** Query of a client. */
    @FunctionalInterface
    public interface Query {
        /** Sends the n-th query. Returns the difference to the right answer, or empty; throws if it fails. */
        Optional<String> run(long n);
    }

    /**
     * Queries that ended in a window of time.
     *
     * @param latenciesNanos latency of each right answer, sorted
     * @param failed queries with an error
     * @param wrong queries with a wrong answer
     * @param messages of the first failed and wrong queries
     */
    public record Window(double seconds, long[] latenciesNanos, long failed, long wrong, List<String> messages) {
        public Window {
            messages = List.copyOf(messages);
        }

        /** Returns right answers per second. */
        public double perSecond() {
            return latenciesNanos.length / seconds;
        }

        /** Returns a percentile of the latencies in milliseconds; NaN without a right answer. */
        public double percentileMillis(double share) {
            if (latenciesNanos.length == 0) {
                return Double.NaN;
            }
            int rank = (int) Math.ceil(share * latenciesNanos.length) - 1;
            return latenciesNanos[Math.max(0, Math.min(latenciesNanos.length - 1, rank))] / 1e6;
        }

        /** Returns the number of queries, right or not. */
        public long queries() {
            return latenciesNanos.length + failed + wrong;
        }
    }

    /** Sends queries for this time and waits for the last answers. */
    public Window run(double seconds, Query query) {
        long end = nanos.getAsLong() + (long) (seconds * 1e9);
        return runDuring(() -> awaitTime(end), query);
    }

    private void awaitTime(long end) {
        for (long left = end - nanos.getAsLong(); left > 0; left = end - nanos.getAsLong()) {
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw new UniserveException(ErrorCode.CANCELLED, "interrupted");
            }
            LockSupport.parkNanos(left);
        }
    }

    /** Sends queries while the action runs in the calling thread, and waits for the last answers. */
    public Window runDuring(Runnable action, Query query) {
        List<QueryRecorder> recorders = new ArrayList<>();
        List<Runnable> loops = new ArrayList<>();
        AtomicBoolean stopped = new AtomicBoolean();
        for (int i = 0; i < clients; i++) {
            QueryRecorder recorder = new QueryRecorder(nanos);
            recorders.add(recorder);
            loops.add(() -> sendUntil(stopped, query, recorder));
        }
        long start = nanos.getAsLong();
        ClientLoops.run(loops, action, () -> stopped.set(true));
        return QueryRecorder.join((nanos.getAsLong() - start) / 1e9, recorders);
    }

    private void sendUntil(AtomicBoolean stopped, Query query, QueryRecorder recorder) {
        while (!stopped.get()) {
            long n = next.getAndIncrement();
            if (!recorder.run(query, n, nanos.getAsLong())) {
                LockSupport.parkNanos(FAILURE_PAUSE_NANOS);
            }
        }
    }
}
