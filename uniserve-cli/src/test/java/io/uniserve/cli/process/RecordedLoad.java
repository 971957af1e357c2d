package io.uniserve.cli.process;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.UniserveException;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.simulation.check.AtomicCheck;
import io.uniserve.testkit.simulation.check.AtomicHistory;
import io.uniserve.testkit.simulation.check.Violation;
import io.uniserve.testkit.simulation.check.Violations;
import io.uniserve.testkit.simulation.kernel.EventQueue;
import io.uniserve.testkit.simulation.kernel.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writers that append markers to some lists of a table, all or none, and readers of all its lists at once; what each asked and
 * heard is recorded, and judged at the end by the simulation's checker. There are other lists every phase, so that they stay
 * short.
 */
final class RecordedLoad implements AutoCloseable {
    private static final RetrieveCall<KvOperators.Scan, List<Document>> SCAN =
            new RetrieveCall<>(KvOperators.SCAN.id(), KvOperators.SCAN.parameters(), KvOperators.SCAN.values());
    private static final int LISTS = 12;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ClientTable table;
    private final SystemClock clock = SystemClock.INSTANCE;
    /** Guarded by itself. */
    private final AtomicHistory history = new AtomicHistory();

    /** One text for each marker, however often it is read. */
    private final Map<String, String> markers = new ConcurrentHashMap<>();

    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();
    private volatile int phase;
    final Queue<String> failed = new ConcurrentLinkedQueue<>();
    final AtomicLong acked = new AtomicLong();
    final AtomicLong reads = new AtomicLong();

    RecordedLoad(UniserveClient client, String table) {
        this.table = client.table(table);
    }

    void start(int writers, int readers) {
        for (int i = 0; i < writers; i++) {
            String name = "writer-" + i;
            long seed = i;
            thread(name, () -> write(name, new SplittableRandom(seed)));
        }
        for (int i = 0; i < readers; i++) {
            String name = "reader-" + i;
            thread(name, () -> read(name));
        }
    }

    private void thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** From here on other lists are written and read. */
    void nextPhase() {
        phase++;
    }

    private static String prefix(int phase) {
        return "list-" + phase + "-";
    }

    private void write(String name, SplittableRandom random) {
        for (int n = 0; !stop.get(); n++) {
            int now = phase;
            String marker = name + "-" + n;
            markers.put(marker, marker);
            TreeSet<Integer> lists = new TreeSet<>();
            List<Map<String, Object>> rows = new ArrayList<>();
            for (int count = random.nextInt(1, LISTS); lists.size() < count; ) {
                int list = random.nextInt(LISTS);
                if (lists.add(now * LISTS + list)) {
                    rows.add(Map.of("id", prefix(now) + list, "value", marker));
                }
            }
            AtomicHistory.Write write;
            synchronized (history) {
                write = history.write(name, marker, lists, clock.nanos());
            }
            try {
                table.updateDocuments("kv.append@1", rows)
                        .deadline(PATIENCE)
                        .run()
                        .orThrow();
                synchronized (history) {
                    write.committed(clock.nanos(), 0);
                }
                acked.incrementAndGet();
            } catch (UniserveException e) {
                failed.add("update: " + e.getMessage());
            }
        }
    }

    private void read(String name) {
        while (!stop.get()) {
            int now = phase;
            long invoked = clock.nanos();
            try {
                TreeMap<Integer, List<String>> lists = lists(table, now);
                synchronized (history) {
                    history.read(new AtomicHistory.Read(name, invoked, clock.nanos(), 0, lists));
                }
                reads.incrementAndGet();
            } catch (UniserveException e) {
                failed.add("read: " + e.getMessage());
            }
        }
    }

    private TreeMap<Integer, List<String>> lists(ClientTable of, int when) {
        TreeMap<Integer, List<String>> lists = new TreeMap<>();
        for (int list = 0; list < LISTS; list++) {
            lists.put(when * LISTS + list, List.of());
        }
        List<Document> documents = of.all()
                .deadline(PATIENCE)
                .retrieve(
                        SCAN,
                        new KvOperators.Scan(prefix(when), LISTS),
                        parts -> parts.stream().flatMap(List::stream).toList());
        for (Document document : documents) {
            String key = String.valueOf(document.fields().get("id"));
            int list = Integer.parseInt(key.substring(prefix(when).length()));
            List<String> values = document.fields().get("values") instanceof List<?> found
                    ? found.stream()
                            .map(String::valueOf)
                            .map(marker -> markers.getOrDefault(marker, marker))
                            .toList()
                    : List.of();
            lists.put(when * LISTS + list, values);
        }
        return lists;
    }

    /** What the checker finds wrong with the history, given what this client reads at the end. Call once, after closing. */
    List<Violation> violations(UniserveClient client, String name) {
        Map<Integer, List<String>> finals = new TreeMap<>();
        for (int past = 0; past <= phase; past++) {
            finals.putAll(lists(client.table(name), past));
        }
        EventQueue queue = new EventQueue();
        Violations violations = new Violations(queue, new Trace(queue, line -> {}));
        synchronized (history) {
            new AtomicCheck(violations, history, finals).run();
        }
        return violations.kept();
    }

    @Override
    public void close() throws InterruptedException {
        stop.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
