package io.uniserve.cli.process;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writers that add 1 to every account of a table in one update, and readers that check every sum over all actors. A sum must be a whole
 * number of updates, and at least what was acknowledged before the read began and what the same reader saw before.
 */
final class AtomicLoad implements AutoCloseable {
    private static final RetrieveCall<String, Long> SUM = new RetrieveCall<>("kv.sum@1", Codecs.STRING, Codecs.LONG);
    private static final int ACCOUNTS = 24;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ClientTable table;
    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();
    final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    final Queue<String> failed = new ConcurrentLinkedQueue<>();
    final AtomicLong acked = new AtomicLong();
    final AtomicLong unknown = new AtomicLong();
    final AtomicLong reads = new AtomicLong();

    AtomicLoad(UniserveClient client, String table) {
        this.table = client.table(table);
    }

    void start(int writers, int readers) {
        for (int i = 0; i < writers; i++) {
            thread("writer-" + i, this::write);
        }
        for (int i = 0; i < readers; i++) {
            thread("reader-" + i, this::read);
        }
    }

    private void thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void write() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < ACCOUNTS; i++) {
            rows.add(Map.of("id", "account-" + i, "amount", 1L));
        }
        while (!stop.get()) {
            try {
                table.updateDocuments("kv.add@1", rows).deadline(PATIENCE).run().orThrow();
                acked.incrementAndGet();
            } catch (UniserveException e) {
                unknown.incrementAndGet();
                failed.add("update: " + e.getMessage());
            }
        }
    }

    private void read() {
        long seen = 0;
        while (!stop.get()) {
            long least = Math.max(seen, acked.get());
            try {
                long sum = sum(table);
                if (sum % ACCOUNTS != 0) {
                    wrong.add("torn: " + sum + " is no multiple of " + ACCOUNTS);
                }
                seen = sum / ACCOUNTS;
                if (seen < least) {
                    wrong.add(seen + " updates seen, " + least + " acknowledged or seen before");
                }
                reads.incrementAndGet();
            } catch (UniserveException e) {
                failed.add("read: " + e.getMessage());
            }
        }
    }

    private static long sum(ClientTable table) {
        return table.all()
                .deadline(PATIENCE)
                .retrieve(
                        SUM,
                        "amount",
                        parts -> parts.stream().mapToLong(Long::longValue).sum());
    }

    /** Checks that this client reads what was acknowledged, and at most the updates with unknown outcome in addition. */
    void verify(UniserveClient client, String name) {
        long sum = sum(client.table(name));
        long updates = sum / ACCOUNTS;
        if (sum % ACCOUNTS != 0 || updates < acked.get() || updates > acked.get() + unknown.get()) {
            wrong.add("at the end the sum is " + sum + ", " + acked + " acknowledged, " + unknown + " unknown");
        }
    }

    @Override
    public void close() throws InterruptedException {
        stop.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
