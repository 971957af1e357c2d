package io.uniserve.benchmark.scaling;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Readers of single rows at a target rate. Each operation has an intended start, which follows from the rate; its latency counts from there,
 * so a slow server delays no measurement (no coordinated omission). Every row is compared with what was loaded.
 */
final class TargetRateReader implements AutoCloseable {
    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));
    private static final double SECOND = 1e9;
    private static final long KEY_STEP = 7_919;

    private final LongSupplier nanos;
    private final ClientTable table;
    private final long rows;
    private final LoadProfile profile;
    private final long startNanos;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong operations = new AtomicLong();
    private final List<Slice> slices;
    private double intendedSeconds;
    private volatile boolean end;
    private volatile String lastProblem = "";

    /** Operations whose intended start is in one second. Guarded by itself. */
    static final class Slice {
        private final List<Long> latencies = new ArrayList<>();
        private int failed;
        private int wrong;

        synchronized void add(long latencyNanos, boolean isFailed, boolean isWrong) {
            latencies.add(latencyNanos);
            failed += isFailed ? 1 : 0;
            wrong += isWrong ? 1 : 0;
        }

        synchronized int count() {
            return latencies.size();
        }

        synchronized int failed() {
            return failed;
        }

        synchronized int wrong() {
            return wrong;
        }

        /** Percentile in milliseconds; NaN without operations. */
        synchronized double millis(double part) {
            if (latencies.isEmpty()) {
                return Double.NaN;
            }
            long[] sorted =
                    latencies.stream().mapToLong(Long::longValue).sorted().toArray();
            return sorted[(int) Math.min(sorted.length - 1, Math.floor(part * sorted.length))] / 1e6;
        }
    }

    /** Starts the readers. */
    TargetRateReader(LongSupplier nanos, ClientTable table, long rows, LoadProfile profile, int threads) {
        this.nanos = nanos;
        this.table = table;
        this.rows = rows;
        this.profile = profile;
        slices = new ArrayList<>();
        for (int i = 0; i <= Math.ceil(profile.seconds()); i++) {
            slices.add(new Slice());
        }
        startNanos = nanos.getAsLong();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(this::read, "bench-reads-" + i);
            thread.setDaemon(true);
            this.threads.add(thread);
            thread.start();
        }
    }

    /** Returns the operations by second of their intended start. */
    List<Slice> slices() {
        return slices;
    }

    double secondsSinceStart() {
        return (nanos.getAsLong() - startNanos) / SECOND;
    }

    /** Returns the last operation that failed or was wrong; empty for none. */
    String lastProblem() {
        return lastProblem;
    }

    /** Takes the intended start of the next operation, in seconds since the start of the run. */
    private synchronized double nextIntended() {
        intendedSeconds += 1 / profile.rate(intendedSeconds);
        return intendedSeconds;
    }

    private void read() {
        while (!end) {
            double intended = nextIntended();
            if (intended >= profile.seconds()) {
                return;
            }
            long due = startNanos + (long) (intended * SECOND);
            for (long wait = due - nanos.getAsLong(); wait > 0 && !end; wait = due - nanos.getAsLong()) {
                LockSupport.parkNanos(wait);
            }
            long row = operations.incrementAndGet() * KEY_STEP % rows;
            boolean failed = false;
            boolean wrong = false;
            try {
                List<Document> found = table.key(key(row)).retrieve(GET, key(row), values -> values.get(0));
                wrong = found.size() != 1 || !found.get(0).equals(row(row));
                if (wrong) {
                    lastProblem = "row " + key(row) + " is " + found;
                }
            } catch (UniserveException e) {
                failed = true;
                lastProblem = e.toString();
            }
            slices.get((int) intended).add(nanos.getAsLong() - due, failed, wrong);
        }
    }

    private static String key(long row) {
        return "k" + row;
    }

    /** Row of the table with this number. */
    static Document row(long number) {
        return new Document("key", java.util.Map.of("key", key(number), "amount", number, "text", "t".repeat(200)));
    }

    /** Waits for the end of the run. */
    void join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Override
    public void close() {
        end = true;
    }
}
