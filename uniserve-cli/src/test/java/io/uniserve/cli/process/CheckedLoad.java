package io.uniserve.cli.process;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writers that raise the number of each of their keys, acknowledged by every in-sync replica, and readers that check that no read shows
 * less than was acknowledged before it began, or more than was ever sent.
 */
final class CheckedLoad implements AutoCloseable {
    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));
    private static final int KEYS = 200;
    private static final AtomicLong INSTANCES = new AtomicLong();

    private final String prefix = "load" + INSTANCES.incrementAndGet() + "-";
    private final String name;
    private volatile ClientTable table;
    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();
    private final Map<Integer, Long> acked = new ConcurrentHashMap<>();
    private final Map<Integer, Long> sent = new ConcurrentHashMap<>();
    final Queue<String> failed = new ConcurrentLinkedQueue<>();
    final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    final Queue<String> refusedUpdates = new ConcurrentLinkedQueue<>();
    final AtomicLong reads = new AtomicLong();
    final AtomicLong writes = new AtomicLong();

    CheckedLoad(UniserveClient client, String table) {
        this.name = table;
        this.table = client.table(table);
    }

    /** Starts one writer and this many readers. */
    void start(int readers) {
        thread("writer", this::write);
        for (int i = 0; i < readers; i++) {
            long seed = i;
            thread("reader-" + i, () -> read(new SplittableRandom(seed)));
        }
    }

    private void thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void write() {
        for (long n = 1; !stop.get(); n++) {
            int key = (int) (n % KEYS);
            sent.put(key, n);
            try {
                table.update("kv.put@1", Document.CODEC, List.of(row(key, n)))
                        .run()
                        .orThrow();
                acked.merge(key, n, Math::max);
                writes.incrementAndGet();
            } catch (UniserveException e) {
                refusedUpdates.add(String.valueOf(e.getMessage()));
            }
        }
    }

    private Document row(int key, long n) {
        return new Document("key", Map.of("key", prefix + key, "amount", n));
    }

    private void read(SplittableRandom random) {
        while (!stop.get()) {
            readOne(random.nextInt(KEYS));
        }
    }

    private void readOne(int key) {
        long least = acked.getOrDefault(key, 0L);
        try {
            List<Document> found = table.key(prefix + key)
                    .retrieve(
                            GET,
                            prefix + key,
                            values -> values.stream().flatMap(List::stream).toList());
            long got = found.isEmpty()
                    ? 0
                    : (Long) java.util.Objects.requireNonNull(
                            found.get(0).fields().get("amount"));
            if (got < least || got > sent.getOrDefault(key, 0L)) {
                wrong.add(prefix + key + " is " + got + ", acknowledged " + least + ", sent " + sent.get(key));
            }
            reads.incrementAndGet();
        } catch (UniserveException e) {
            failed.add(String.valueOf(e.getMessage()));
        }
    }

    /** Reads every acknowledged key once; lost or wrong ones are recorded in {@link #wrong}. */
    void verifyAll() {
        acked.keySet().forEach(this::readOne);
    }

    /** Verifies all through another client. */
    void verifyAll(UniserveClient client) {
        table = client.table(name);
        verifyAll();
    }

    @Override
    public void close() throws InterruptedException {
        stop.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
