package io.uniserve.benchmark.chaos;

import io.uniserve.client.ClientTable;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.simulator.check.AtomicHistory;
import io.uniserve.simulator.check.ClientHistory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Clients that append unique markers to lists of an eventual and of a fully serializable table, and read them. Requests and replies are
 * recorded in a file and for the simulation's checker. Thread-safe.
 */
final class ChaosWorkload implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final long PAUSE_MS = 20;
    private static final long GENERATION_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final Clock clock;
    private final HistoryFileWriter file;
    private final Supplier<UniserveClient> clients;
    private final long startNanos;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();
    private final List<UniserveClient> open = new ArrayList<>();
    final KvListAccess lists = new KvListAccess();
    /** This field and those below are guarded by this object. */
    final ClientHistory eventual = new ClientHistory();

    final AtomicHistory atomic = new AtomicHistory();
    private final Map<String, Long> outcomes = new TreeMap<>();
    private final Map<String, Long> errors = new TreeMap<>();
    private @Nullable Throwable fatalError;

    /** Operation of a client between request and reply. */
    private interface Operation {
        /** Returns the recorded value of a successful operation. */
        Object run();
    }

    ChaosWorkload(Clock clock, HistoryFileWriter file, Supplier<UniserveClient> clients) {
        this.clock = clock;
        this.file = file;
        this.clients = clients;
        this.startNanos = clock.nanos();
    }

    /** Starts this many clients per table. */
    void start(int count, long seed) {
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int i = 1; i <= count; i++) {
            SplittableRandom first = seeds.split();
            SplittableRandom second = seeds.split();
            client("eventual-" + i, ChaosOptions.EVENTUAL, (name, table) -> eventual(name, table, first));
            client("atomic-" + i, ChaosOptions.ATOMIC, (name, table) -> atomic(name, table, second));
        }
    }

    private interface Step {
        void run(String name, ClientTable table);
    }

    private void client(String name, String table, Step step) {
        UniserveClient client = clients.get();
        open.add(client);
        Thread thread = new Thread(() -> runClient(name, client.table(table), step), name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void runClient(String name, ClientTable table, Step step) {
        try {
            while (!stop.await(PAUSE_MS, TimeUnit.MILLISECONDS)) {
                step.run(name, table);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError e) {
            synchronized (this) {
                fatalError = e;
            }
        }
    }

    /** Returns the newest generation of lists. */
    int generation() {
        return (int) ((clock.nanos() - startNanos) / GENERATION_NANOS);
    }

    private void eventual(String name, ClientTable table, SplittableRandom random) {
        int list = generation() * KvListAccess.COUNT + random.nextInt(KvListAccess.COUNT);
        if (random.nextBoolean()) {
            append(name, table, list);
        } else {
            ReadMode mode = random.nextInt(8) == 0 ? ReadMode.STALE : ReadMode.LINEARIZABLE;
            Map<String, @Nullable Object> value = value(table.name());
            value.put("list", list);
            value.put("mode", mode.name().toLowerCase(java.util.Locale.ROOT));
            long invoked = clock.nanos();
            operation(name, "read", value, () -> {
                List<String> markers = lists.read(table, list, mode, DEADLINE);
                synchronized (this) {
                    eventual.read(new ClientHistory.Read(
                            name, list, invoked, clock.nanos(), 0, mode == ReadMode.LINEARIZABLE, markers));
                }
                value.put("markers", markers);
                return markers;
            });
        }
    }

    private void append(String name, ClientTable table, int list) {
        ClientHistory.Append append;
        String marker;
        synchronized (this) {
            marker = name + "-" + eventual.appends().size();
            append = eventual.append(name, marker, list, true, clock.nanos());
        }
        Map<String, @Nullable Object> value = value(table.name());
        value.put("lists", List.of(list));
        value.put("marker", marker);
        ErrorCode failed = operation(name, "append", value, () -> {
            table.updateDocuments("kv.append@1", List.of(lists.row(list, marker)))
                    .ack(AckLevel.ISR)
                    .deadline(DEADLINE)
                    .run()
                    .orThrow();
            synchronized (this) {
                append.acked(clock.nanos(), 0); // a client's reads cover its acknowledged appends, at any index
            }
            return marker;
        });
        if (failed == ErrorCode.UPDATE_REFUSED) {
            synchronized (this) {
                append.refused();
            }
        }
    }

    private void atomic(String name, ClientTable table, SplittableRandom random) {
        int generation = generation();
        if (random.nextBoolean()) {
            long invoked = clock.nanos();
            Map<String, @Nullable Object> value = value(table.name());
            operation(name, "read", value, () -> {
                TreeMap<Integer, List<String>> read = lists.readAll(table, generation, DEADLINE);
                synchronized (this) {
                    atomic.read(new AtomicHistory.Read(name, invoked, clock.nanos(), 0, read));
                }
                value.put("markers", read);
                return read;
            });
            return;
        }
        TreeSet<Integer> chosen = new TreeSet<>();
        for (int count = random.nextInt(1, 5); chosen.size() < count; ) {
            chosen.add(generation * KvListAccess.COUNT + random.nextInt(KvListAccess.COUNT));
        }
        appendAll(name, table, chosen, DEADLINE);
    }

    /** Appends one marker to these lists of the atomic table. Returns null on success. */
    private @Nullable ErrorCode appendAll(String name, ClientTable table, TreeSet<Integer> chosen, Duration deadline) {
        AtomicHistory.Write write;
        String marker;
        synchronized (this) {
            marker = name + "-"
                    + outcomes.values().stream().mapToLong(Long::longValue).sum();
            write = atomic.write(name, marker, chosen, clock.nanos());
        }
        Map<String, @Nullable Object> value = value(table.name());
        value.put("lists", List.copyOf(chosen));
        value.put("marker", marker);
        ErrorCode failed = operation(name, "append", value, () -> {
            table.updateDocuments(
                            "kv.append@1",
                            chosen.stream().map(list -> lists.row(list, marker)).toList())
                    .deadline(deadline)
                    .run()
                    .orThrow();
            synchronized (this) {
                write.committed(clock.nanos(), 0);
            }
            return marker;
        });
        if (failed == ErrorCode.UPDATE_REFUSED) {
            synchronized (this) {
                write.refused();
            }
        }
        return failed;
    }

    private static Map<String, @Nullable Object> value(String table) {
        Map<String, @Nullable Object> value = new LinkedHashMap<>();
        value.put("table", table);
        return value;
    }

    /** Runs an operation, and records request and reply. Returns the error, or null on success. */
    private @Nullable ErrorCode operation(
            String process, String f, Map<String, @Nullable Object> value, Operation operation) {
        file.write(process, "invoke", f, value, clock.nanos() - startNanos);
        String type;
        ErrorCode failed = null;
        try {
            Object heard = operation.run();
            type = "ok";
            if (heard == null) {
                throw new IllegalStateException("a successful operation has no reply");
            }
        } catch (UniserveException e) {
            failed = e.code();
            value.put("error", e.code().name());
            type = f.equals("read") || failed == ErrorCode.UPDATE_REFUSED ? "fail" : "info";
        }
        file.write(process, type, f, value, clock.nanos() - startNanos);
        synchronized (this) {
            outcomes.merge(f + " " + type, 1L, Long::sum);
            if (failed != null) {
                errors.merge(failed.name(), 1L, Long::sum);
            }
        }
        return failed;
    }

    /** Records the start or end of a fault. */
    void nemesis(String what, Map<String, @Nullable Object> value) {
        file.write("nemesis", "info", what, value, clock.nanos() - startNanos);
    }

    /** After the faults: appends a marker to every list. Returns false if that fails. */
    boolean probe(UniserveClient client, Duration patience) {
        TreeSet<Integer> all = new TreeSet<>();
        for (int list = 0; list < KvListAccess.COUNT; list++) {
            all.add(list);
        }
        return appendAll("probe", client.table(ChaosOptions.ATOMIC), all, patience) == null;
    }

    /** Returns the number of operations by kind and outcome, e.g. {@code append ok}. */
    synchronized Map<String, Long> outcomes() {
        return new TreeMap<>(outcomes);
    }

    /** Returns the number of errors by code. */
    synchronized Map<String, Long> errors() {
        return new TreeMap<>(errors);
    }

    /** Ends all clients and waits for their last operations. */
    @Override
    public void close() throws InterruptedException {
        stop.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        open.forEach(UniserveClient::close);
        open.clear();
        synchronized (this) {
            if (fatalError != null) {
                throw new IllegalStateException("a client of the chaos run failed", fatalError);
            }
        }
    }
}
