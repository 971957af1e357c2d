package io.uniserve.benchmark.moves;

import io.uniserve.api.Document;
import io.uniserve.benchmark.overhead.OverheadBench;
import io.uniserve.client.ClientTable;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Load while actors move: one client updates the same row repeatedly, one counts all rows. */
final class MovesWorkload implements AutoCloseable {
    private final LongSupplier nanos;
    private final ClientTable table;
    private final long expected;
    private volatile Document row;
    private final ConcurrentLinkedQueue<Long> updates = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Long> queries = new ConcurrentLinkedQueue<>();
    private final AtomicLong updated = new AtomicLong();
    private final AtomicLong queried = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private volatile String lastProblem = "";
    private volatile boolean end;

    /**
     * Starts the load.
     *
     * @param expected rows of the table, which updates do not change
     * @param first the row that is updated until {@link #update} sets another
     */
    MovesWorkload(LongSupplier nanos, ClientTable table, long expected, Document first) {
        this.nanos = nanos;
        this.table = table;
        this.expected = expected;
        this.row = first;
        start("bench-updates", this::put, updates, updated);
        start("bench-queries", this::count, queries, queried);
    }

    private void start(String name, Runnable operation, ConcurrentLinkedQueue<Long> latencies, AtomicLong done) {
        Thread thread = new Thread(
                () -> {
                    while (!end) {
                        long start = nanos.getAsLong();
                        try {
                            operation.run();
                        } catch (UniserveException e) {
                            failed.incrementAndGet();
                            lastProblem = e.toString();
                        }
                        latencies.add(nanos.getAsLong() - start);
                        done.incrementAndGet();
                    }
                },
                name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void put() {
        table.update("kv.put@1", Document.CODEC, List.of(row)).run().orThrow();
    }

    private void count() {
        long count = table.all()
                .retrieve(
                        OverheadBench.COUNT,
                        "",
                        values -> values.stream().mapToLong(Long::longValue).sum());
        if (count != expected) {
            wrong.incrementAndGet();
            lastProblem = "counted " + count + " of " + expected + " rows";
        }
    }

    /** Sets the row that is updated from now on. */
    void update(Document other) {
        row = other;
    }

    long updated() {
        return updated.get();
    }

    long queried() {
        return queried.get();
    }

    long failed() {
        return failed.get();
    }

    long wrong() {
        return wrong.get();
    }

    /** Returns the last operation that failed or was wrong; empty for none. */
    String lastProblem() {
        return lastProblem;
    }

    /** Returns the latencies of updates in nanoseconds since the last call. */
    long[] takeUpdates() {
        return drain(updates);
    }

    /** Returns the latencies of queries in nanoseconds since the last call. */
    long[] takeQueries() {
        return drain(queries);
    }

    private static long[] drain(ConcurrentLinkedQueue<Long> latencies) {
        List<Long> taken = new ArrayList<>();
        for (Long next = latencies.poll(); next != null; next = latencies.poll()) {
            taken.add(next);
        }
        return taken.stream().mapToLong(Long::longValue).toArray();
    }

    @Override
    public void close() throws InterruptedException {
        end = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
