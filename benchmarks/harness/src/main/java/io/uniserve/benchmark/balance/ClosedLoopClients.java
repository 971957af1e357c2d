package io.uniserve.benchmark.balance;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Clients in a closed loop: each sends its next query when it has the answer to the last. Queries are numbered over all clients and
 * windows. Failed and wrong queries are counted, and the loop goes on. Not thread-safe.
 */
public final class ClosedLoopClients {
    private static final int MESSAGES_MAX = 5;
    private static final int LATENCIES_START = 1_024;
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
        ExecutorService pool = Executors.newFixedThreadPool(clients);
        try {
            List<Client> loops = new ArrayList<>();
            List<Future<?>> ends = new ArrayList<>();
            long start = nanos.getAsLong();
            for (int i = 0; i < clients; i++) {
                Client client = new Client(query);
                loops.add(client);
                ends.add(pool.submit(client::run));
            }
            try {
                action.run();
            } finally {
                loops.forEach(client -> client.stopped = true);
            }
            for (Future<?> end : ends) {
                end.get();
            }
            return join((nanos.getAsLong() - start) / 1e9, loops);
        } catch (ExecutionException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "a client ended: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        } finally {
            pool.shutdownNow();
        }
    }

    private static Window join(double seconds, List<Client> loops) {
        long[] latencies = {};
        long failed = 0;
        long wrong = 0;
        List<String> messages = new ArrayList<>();
        for (Client client : loops) {
            int old = latencies.length;
            latencies = Arrays.copyOf(latencies, old + client.count);
            System.arraycopy(client.latencies, 0, latencies, old, client.count);
            failed += client.failed;
            wrong += client.wrong;
            messages.addAll(client.messages);
        }
        Arrays.sort(latencies);
        return new Window(
                seconds, latencies, failed, wrong, messages.subList(0, Math.min(MESSAGES_MAX, messages.size())));
    }

    private final class Client {
        private final Query query;
        private final List<String> messages = new ArrayList<>();
        private long[] latencies = new long[LATENCIES_START];
        private int count;
        private long failed;
        private long wrong;
        private volatile boolean stopped;

        private Client(Query query) {
            this.query = query;
        }

        private void run() {
            while (!stopped) {
                long n = next.getAndIncrement();
                long start = nanos.getAsLong();
                try {
                    Optional<String> difference = query.run(n);
                    if (difference.isPresent()) {
                        wrong++;
                        note("query " + n + " is WRONG: " + difference.get());
                    } else {
                        add(nanos.getAsLong() - start);
                    }
                } catch (UniserveException e) {
                    failed++;
                    note("query " + n + " failed: " + e.getMessage());
                    LockSupport.parkNanos(FAILURE_PAUSE_NANOS);
                }
            }
        }

        private void add(long latency) {
            if (count == latencies.length) {
                latencies = Arrays.copyOf(latencies, 2 * count);
            }
            latencies[count++] = latency;
        }

        private void note(String message) {
            if (messages.size() < MESSAGES_MAX) {
                messages.add(message);
            }
        }
    }
}
