package io.uniserve.benchmark.upgrade;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Client program of the upgrade trial. It runs in a process of its own, with the client of either distribution, so it uses nothing but the
 * client's API and the JDK. Each writer raises the amounts of its own rows. In the atomic table an update writes an amount and its
 * negative, so the sum over all actors is always zero. Readers check that a row is between the last acknowledged and the last sent amount.
 *
 * <p>Arguments: prefix of the rows, file whose existence ends the load, addresses. At the end the program prints problems, and writes its
 * figures beside that file.
 */
public final class UpgradeLoad {
    static final String EVENTUAL = "eventual";
    static final String ATOMIC = "atomic";

    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));
    private static final RetrieveCall<String, Long> SUM = new RetrieveCall<>("kv.sum@1", Codecs.STRING, Codecs.LONG);
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int WRITERS = 2;
    private static final int ROWS = 25;
    private static final int PROBLEMS_MAX = 20;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final UniserveClient client;
    private final String prefix;
    private final Map<String, Long> sent = new ConcurrentHashMap<>();
    private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();
    private final AtomicLong updates = new AtomicLong();
    private final AtomicLong queries = new AtomicLong();
    private final AtomicLong failedUpdates = new AtomicLong();
    private final AtomicLong failedQueries = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong textQueries = new AtomicLong();
    private final AtomicLong rejectedTextQueries = new AtomicLong();
    private final Queue<String> problems = new ConcurrentLinkedQueue<>();
    private volatile boolean end;

    private UpgradeLoad(UniserveClient client, String prefix) {
        this.client = client;
        this.prefix = prefix;
    }

    public static void main(String[] args) throws InterruptedException, IOException {
        String prefix = args[0];
        Path stop = Path.of(args[1]);
        String[] bootstrap = args[2].split(",");
        try (UniserveClient client = UniserveClient.builder()
                .bootstrap(bootstrap)
                .deadline(DEADLINE)
                .connectTimeout(DEADLINE)
                .build()) {
            UpgradeLoad load = new UpgradeLoad(client, prefix);
            List<Thread> threads = load.start();
            System.out.println("ready load " + bootstrap[0]);
            while (!Files.exists(stop)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
            load.end = true;
            for (Thread thread : threads) {
                thread.join();
            }
            load.verify();
            Files.writeString(result(stop, prefix), load.figures());
        }
    }

    /** Returns the file with the figures: {@code name=value} with spaces between. */
    static Path result(Path stop, String prefix) {
        return stop.resolveSibling("result-" + prefix);
    }

    private interface Operation {
        void run(long round);
    }

    private List<Thread> start() {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            String own = prefix + "-" + i + "-";
            threads.add(start("eventual-writer-" + i, round -> writeEventual(own, round)));
            threads.add(start("atomic-writer-" + i, round -> writeAtomic(own, round)));
            threads.add(start("reader-" + i, round -> read(own, round)));
        }
        return threads;
    }

    private Thread start(String name, Operation operation) {
        Thread thread = new Thread(
                () -> {
                    for (long round = 1; !end; round++) {
                        operation.run(round);
                        LockSupport.parkNanos(PAUSE_NANOS);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void writeEventual(String own, long round) {
        String key = own + round % ROWS;
        update(client.table(EVENTUAL), round, List.of(EVENTUAL + "/" + key), List.of(row(key, round)));
    }

    private void writeAtomic(String own, long round) {
        String plus = own + round % ROWS + "-plus";
        String minus = own + round % ROWS + "-minus";
        update(
                client.table(ATOMIC),
                round,
                List.of(ATOMIC + "/" + plus, ATOMIC + "/" + minus),
                List.of(row(plus, round), row(minus, -round)));
    }

    private static Map<String, Object> row(String key, long amount) {
        return Map.of("id", key, "amount", amount);
    }

    private void update(ClientTable table, long amount, List<String> ids, List<Map<String, Object>> rows) {
        ids.forEach(id -> sent.put(id, amount));
        try {
            table.updateDocuments("kv.put@1", rows).run().orThrow();
            ids.forEach(id -> acknowledged.put(id, amount));
            updates.incrementAndGet();
        } catch (UniserveException e) {
            failedUpdates.incrementAndGet();
            problem("update of " + table.name() + " failed: " + e.getMessage());
        }
    }

    private void read(String own, long round) {
        String key = own + (round * 7) % ROWS;
        readRow(EVENTUAL, key, 1);
        readRow(ATOMIC, key + "-minus", -1);
        if (round % 10 == 0) {
            sum();
            readText(key);
        }
    }

    private void readRow(String table, String key, int sign) {
        long least = acknowledged.getOrDefault(table + "/" + key, 0L);
        try {
            long amount = sign * amount(table, key);
            queries.incrementAndGet();
            long most = sent.getOrDefault(table + "/" + key, 0L);
            if (amount < least || amount > most) {
                wrong.incrementAndGet();
                problem(table + "/" + key + " is " + amount + ", acknowledged " + least + ", sent " + most);
            }
        } catch (UniserveException e) {
            failedQueries.incrementAndGet();
            problem("query of " + table + "/" + key + " failed: " + e.getMessage());
        }
    }

    /** Returns the amount of a row; 0 if there is none. */
    private long amount(String table, String key) {
        List<Document> found = client.table(table)
                .key(key)
                .retrieve(
                        GET,
                        key,
                        values -> values.stream().flatMap(List::stream).toList());
        return found.isEmpty() || !(found.get(0).fields().get("amount") instanceof Long amount) ? 0 : amount;
    }

    /** Sums the amounts of all rows of the atomic table. Another sum than zero is half an update. */
    private void sum() {
        try {
            long sum = client.table(ATOMIC)
                    .all()
                    .retrieve(
                            SUM,
                            "amount",
                            values -> values.stream().mapToLong(Long::longValue).sum());
            queries.incrementAndGet();
            if (sum != 0) {
                wrong.incrementAndGet();
                problem("the sum of the atomic table is " + sum);
            }
        } catch (UniserveException e) {
            failedQueries.incrementAndGet();
            problem("sum of the atomic table failed: " + e.getMessage());
        }
    }

    /** Queries in the port's language are planned by one build, so they may be rejected while servers have two. */
    private void readText(String key) {
        textQueries.incrementAndGet();
        try {
            client.table(EVENTUAL).key(key).query("get " + key);
        } catch (UniserveException e) {
            if (e.code().name().equals("UNKNOWN_OPERATOR")) {
                rejectedTextQueries.incrementAndGet();
            } else {
                failedQueries.incrementAndGet();
                problem("text query failed: " + e.getMessage());
            }
        }
    }

    private void problem(String text) {
        if (problems.size() < PROBLEMS_MAX) {
            problems.add(text.replace('\n', ' '));
        }
    }

    /** Compares all own rows with what was acknowledged, and prints the problems. */
    private void verify() {
        for (Map.Entry<String, Long> row : acknowledged.entrySet()) {
            int slash = row.getKey().indexOf('/');
            long amount = Math.abs(
                    amount(row.getKey().substring(0, slash), row.getKey().substring(slash + 1)));
            if (amount < row.getValue() || amount > sent.getOrDefault(row.getKey(), 0L)) {
                lost.incrementAndGet();
                problem(row.getKey() + " is " + amount + " at the end, acknowledged " + row.getValue());
            }
        }
        sum();
        problems.forEach(System.out::println);
    }

    private String figures() {
        return "updates=" + updates + " queries=" + queries + " failed-updates=" + failedUpdates + " failed-queries="
                + failedQueries + " wrong=" + wrong + " lost=" + lost + " text-queries=" + textQueries
                + " rejected-text-queries=" + rejectedTextQueries;
    }
}
