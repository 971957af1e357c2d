package io.uniserve.cli.process;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.client.SnapshotQuery;
import io.uniserve.client.UniserveClient;
import io.uniserve.client.UpdateOutcome;
import io.uniserve.model.RequestId;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.simulator.check.AtomicCheck;
import io.uniserve.simulator.check.AtomicHistory;
import io.uniserve.simulator.check.TransferHistory;
import io.uniserve.simulator.check.TransferHistory.BalanceRead;
import io.uniserve.simulator.check.Violation;
import io.uniserve.simulator.check.ViolationCollector;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writers that append markers to some lists of a table, all or none, or move amounts between rows of several actors, and readers of all its
 * lists and amounts. Requests, replies and versions are recorded, and checked at the end by the simulation's checker. Each phase has other
 * rows, so that lists stay short.
 */
final class RecordedLoad implements AutoCloseable {
    /** Process name of all that use the one client, which has the newest version that any of its threads got. */
    private static final String CLIENT = "client";

    private static final RetrieveCall<KvOperators.Scan, List<Document>> SCAN =
            new RetrieveCall<>(KvOperators.SCAN.id(), KvOperators.SCAN.parameters(), KvOperators.SCAN.values());
    private static final RetrieveCall<String, Long> SUM =
            new RetrieveCall<>(KvOperators.SUM.id(), KvOperators.SUM.parameters(), KvOperators.SUM.values());
    private static final long LONE_CLIENTS = 7;
    private static final int LEAST_MOVED = 1;
    private static final int MOST_MOVED = 1_000;
    /** One in this many updates is a transfer. */
    private static final int TRANSFERS_ONE_IN = 3;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final UniserveClient client;
    private final ClientTable table;
    /** Its reads are LINEARIZABLE, like the client's default. */
    private final MachineClient machines;

    private final RecordedRows rows;
    private final SystemClock clock = SystemClock.INSTANCE;
    /** Guarded by itself. */
    private final AtomicHistory history = new AtomicHistory();

    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();
    private volatile int phase;
    private int lones;
    final Queue<String> failed = new ConcurrentLinkedQueue<>();
    final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    final AtomicLong acked = new AtomicLong();
    final AtomicLong reads = new AtomicLong();

    RecordedLoad(UniserveClient client, List<String> bootstrap, String table) {
        this.client = client;
        this.table = client.table(table);
        this.rows = new RecordedRows(client.admin().describeTable(table).meta().partitioner());
        this.machines = new MachineClient(bootstrap, table, network -> network);
    }

    void start(int writers, int readers) {
        for (int i = 0; i < writers; i++) {
            String name = "writer-" + i;
            long seed = i;
            thread(name, () -> write(name, new SplittableRandom(seed)));
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

    /** Starts the next phase, with other rows. */
    void nextPhase() {
        phase++;
    }

    private void write(String name, SplittableRandom random) {
        for (int n = 0; !stop.get(); n++) {
            try {
                if (n % TRANSFERS_ONE_IN == 0) {
                    transfer(random);
                } else {
                    append(name + "-" + n, random);
                }
                acked.incrementAndGet();
            } catch (RuntimeException e) { // any failure: a thread that ends must be noticed
                failed.add("update: " + e);
            }
        }
    }

    private void append(String marker, SplittableRandom random) {
        TreeSet<Integer> lists = some(random, random.nextInt(1, RecordedRows.COUNT));
        AtomicHistory.Write write = sends(CLIENT, marker, lists);
        long version = update("kv.append@1", rows.append(lists, marker));
        heard(write, version);
    }

    /** Moves an amount from one row to others, on at least two actors. */
    private void transfer(SplittableRandom random) {
        TreeSet<Integer> chosen = new TreeSet<>();
        while (chosen.stream().map(rows::actor).distinct().count() < 2) {
            chosen = some(random, random.nextInt(2, 5));
        }
        TreeMap<Integer, Long> changes = new TreeMap<>();
        for (int row : chosen) {
            changes.put(row, (long) random.nextInt(LEAST_MOVED, MOST_MOVED));
        }
        changes.put(chosen.first(), 0L);
        changes.put(
                chosen.first(),
                -changes.values().stream().mapToLong(Long::longValue).sum());
        TransferHistory.Transfer transfer;
        synchronized (history) {
            transfer = history.transfers().transfer(changes, clock.nanos());
        }
        long version = update("kv.add@1", rows.add(changes));
        synchronized (history) {
            transfer.committed(clock.nanos(), version);
        }
    }

    private TreeSet<Integer> some(SplittableRandom random, int count) {
        int now = phase;
        TreeSet<Integer> some = new TreeSet<>();
        while (some.size() < count) {
            some.add(now * RecordedRows.COUNT + random.nextInt(RecordedRows.COUNT));
        }
        return some;
    }

    private static long version(UpdateOutcome outcome) {
        return outcome.orThrow().acked().get(0).index(); // all actors return the same
    }

    /** Returns the version of the update. */
    private long update(String function, List<Map<String, Object>> changes) {
        return version(
                table.updateDocuments(function, changes).deadline(PATIENCE).run());
    }

    /** Records that the marker is about to be sent to these lists. */
    private AtomicHistory.Write sends(String who, String marker, TreeSet<Integer> lists) {
        synchronized (history) {
            return history.write(who, marker, lists, clock.nanos());
        }
    }

    private void heard(AtomicHistory.Write write, long version) {
        synchronized (history) {
            write.committed(clock.nanos(), version);
        }
    }

    /** Update that a separate process sends. */
    record Lone(LoneUpdate update, AtomicHistory.Write write) {}

    /**
     * Records an update of a list of every actor that another process is about to send: its outcome is unknown until it is reported here.
     */
    Lone lone(String marker, boolean large) {
        TreeSet<Integer> lists = new TreeSet<>();
        for (int row = 0; row < rows.actors(); row++) {
            lists.add(phase * RecordedRows.COUNT + row);
        }
        RequestId id = new RequestId(LONE_CLIENTS, lones++, 1);
        LoneUpdate update =
                new LoneUpdate(id, marker, lists.stream().map(rows::key).toList(), large);
        return new Lone(update, sends(marker, marker, lists));
    }

    /** The sender reported that it is in this version. */
    void heard(Lone update, long version) {
        heard(update.write(), version);
    }

    /** No transaction manager was ever called for it. */
    void neverAsked(Lone update) {
        synchronized (history) {
            update.write().refused();
        }
    }

    /** Sends it again under the same id: it must be there once, whatever its outcome was. */
    void sendAgain(Lone update) {
        UpdateOutcome outcome = table.updateDocuments(
                        LoneUpdate.FUNCTION, update.update().rows())
                .requestId(update.update().id())
                .deadline(PATIENCE)
                .run();
        heard(update, version(outcome));
    }

    /** Number of occurrences of each of its filler rows. */
    List<Integer> fillings(Lone update) {
        KvOperators.Scan scan = new KvOperators.Scan(update.update().fillings(), 2 * LoneUpdate.FILLINGS);
        return table.all().deadline(PATIENCE).retrieve(SCAN, scan, RecordedLoad::flat).stream()
                .map(document -> document.fields().get("values") instanceof List<?> values ? values.size() : 0)
                .toList();
    }

    private void read() {
        for (int n = 0; !stop.get(); n++) {
            try {
                switch (n % 3) {
                    case 0 -> strictly(phase);
                    case 1 -> byMachines(phase);
                    default -> plainly(phase);
                }
                reads.incrementAndGet();
            } catch (RuntimeException e) {
                failed.add("read: " + e);
            }
        }
    }

    /** Reads rows and their total at one version, which the client returns. */
    private TreeMap<Integer, List<String>> strictly(int when) {
        long invoked = clock.nanos();
        SnapshotQuery cut = client.snapshotQuery().deadline(PATIENCE);
        SnapshotQuery.Result<List<Document>> found =
                cut.add(table.all(), SCAN, RecordedRows.scan(when), RecordedLoad::flat);
        SnapshotQuery.Result<Long> total = cut.add(table.all(), SUM, "amount", RecordedLoad::total);
        cut.run();
        synchronized (history) {
            long now = clock.nanos();
            history.transfers().addRead(BalanceRead.ofTotal(CLIENT, invoked, now, total.version(), total.value()));
            return note(CLIENT, when, invoked, found.version(), found.value());
        }
    }

    private void byMachines(int when) {
        long invoked = clock.nanos();
        MachineClient.Read<List<Document>> found = machines.read(SCAN, RecordedRows.scan(when), PATIENCE);
        note("machines", when, invoked, found.version(), flat(found.values()));
    }

    /** Reads by the client's own LINEARIZABLE reads, which return no version: they are checked by their content. */
    private void plainly(int when) {
        long invoked = clock.nanos();
        List<Document> found =
                table.all().deadline(PATIENCE).retrieve(SCAN, RecordedRows.scan(when), RecordedLoad::flat);
        synchronized (history) {
            long now = clock.nanos();
            history.read(new AtomicHistory.Read("plain", invoked, now, 0, rows.lists(when, found)));
        }
        long total = table.all().deadline(PATIENCE).retrieve(SUM, "amount", RecordedLoad::total);
        if (total != 0) {
            wrong.add("the amounts are together " + total + ", and what was moved between rows is together 0");
        }
    }

    private TreeMap<Integer, List<String>> note(
            String who, int when, long invoked, long version, List<Document> found) {
        TreeMap<Integer, List<String>> lists = rows.lists(when, found);
        synchronized (history) {
            long now = clock.nanos();
            history.read(new AtomicHistory.Read(who, invoked, now, version, lists));
            history.transfers()
                    .addRead(BalanceRead.ofRows(who, invoked, now, version, true, rows.amounts(when, found)));
        }
        return lists;
    }

    private static List<Document> flat(List<List<Document>> parts) {
        return parts.stream().flatMap(List::stream).toList();
    }

    private static long total(List<Long> parts) {
        return parts.stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the violations that the checker finds in the history, given a final read. Call once, after closing. */
    List<Violation> violations() {
        Map<Integer, List<String>> finals = new TreeMap<>();
        for (int past = 0; past <= phase; past++) {
            finals.putAll(strictly(past));
        }
        EventQueue queue = new EventQueue();
        ViolationCollector violations = new ViolationCollector(queue, new EventTrace(queue, line -> {}));
        synchronized (history) {
            new AtomicCheck(violations, history, finals).run();
        }
        return violations.kept();
    }

    /** Idempotent. */
    @Override
    public void close() throws InterruptedException {
        if (stop.getAndSet(true)) {
            return;
        }
        for (Thread thread : threads) {
            thread.join();
        }
        machines.close();
    }
}
