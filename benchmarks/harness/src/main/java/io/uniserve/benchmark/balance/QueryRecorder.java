package io.uniserve.benchmark.balance;

import io.uniserve.benchmark.balance.ClosedLoopClients.Query;
import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Outcomes of one client's queries. Used by one thread at a time. */
final class QueryRecorder {
    private static final int MESSAGES_MAX = 5;
    private static final int LATENCIES_START = 1_024;

    private final LongSupplier nanos;
    private final List<String> messages = new ArrayList<>();
    private long[] latencies = new long[LATENCIES_START];
    private int count;
    private long failed;
    private long wrong;

    QueryRecorder(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Sends the n-th query. Returns false if it failed. Its latency counts from the start. */
    boolean run(Query query, long n, long startNanos) {
        try {
            Optional<String> difference = query.run(n);
            if (difference.isPresent()) {
                wrong++;
                note("query " + n + " is WRONG: " + difference.get());
            } else {
                add(nanos.getAsLong() - startNanos);
            }
            return true;
        } catch (UniserveException e) {
            fail("query " + n + " failed: " + e.getMessage());
            return false;
        }
    }

    /** Counts a failed query. */
    void fail(String message) {
        failed++;
        note(message);
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

    /** Outcomes of all clients. */
    static Window join(double seconds, List<QueryRecorder> clients) {
        return new Window(
                seconds,
                clients.stream()
                        .flatMapToLong(client -> Arrays.stream(client.latencies, 0, client.count))
                        .sorted()
                        .toArray(),
                clients.stream().mapToLong(client -> client.failed).sum(),
                clients.stream().mapToLong(client -> client.wrong).sum(),
                clients.stream()
                        .flatMap(client -> client.messages.stream())
                        .limit(MESSAGES_MAX)
                        .toList());
    }
}
