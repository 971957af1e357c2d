package io.uniserve.benchmark.failures;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.client.ClientTable;
import io.uniserve.client.UpdateOutcome;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Workload of one writer per actor and several readers. Writers raise the numbers of their rows, with acknowledgement by all in-sync
 * replicas. Readers check that no read shows less than was acknowledged before it began, or more than was sent. Thread-safe.
 */
final class RowWorkload implements AutoCloseable {
    private static final String PREFIX = "k";
    private static final RetrieveCall<String, Long> COUNT =
            new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);
    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));
    /** Pause of writers and readers, so that the result does not measure the wait for a core. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int READS_PER_COUNT = 10;

    private final LongSupplier nanos;
    private final ClientTable table;
    private final Partitioner partitioner;
    private final int rows;
    private final List<List<String>> keys;
    private final Map<String, Long> sent = new ConcurrentHashMap<>();
    private final Map<String, Long> acked = new ConcurrentHashMap<>();
    /** Time of the first acknowledged update, by actor and epoch. */
    private final List<ConcurrentSkipListMap<Long, Long>> firstAcks;

    private final Queue<Operation> operations = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean end;

    /**
     * Completed operation.
     *
     * @param what update, read or count
     * @param verdict right, failed or wrong
     */
    record Operation(String what, long startNanos, long endNanos, String verdict, String problem) {
        boolean isQuery() {
            return !what.equals("update");
        }

        boolean hasVerdict(String other) {
            return verdict.equals(other);
        }
    }

    /** Comparison of acknowledged rows with the stored rows. */
    record Comparison(int rows, int lost, int wrong) {
        static final Comparison NONE = new Comparison(0, 0, 0);

        Comparison plus(Comparison other) {
            return new Comparison(rows + other.rows, lost + other.lost, wrong + other.wrong);
        }
    }

    RowWorkload(LongSupplier nanos, ClientTable table, TableMeta meta, int rows) {
        this.nanos = nanos;
        this.table = table;
        this.rows = rows;
        partitioner = meta.partitioner();
        int actors = partitioner.actors();
        keys = IntStream.range(0, actors)
                .<List<String>>mapToObj(actor -> new ArrayList<>())
                .toList();
        firstAcks = IntStream.range(0, actors)
                .mapToObj(actor -> new ConcurrentSkipListMap<Long, Long>())
                .toList();
        for (int row = 0; row < rows; row++) {
            String key = PREFIX + row;
            keys.get(partitioner.actorOf(PartitionKey.of(key))).add(key);
        }
        if (keys.stream().anyMatch(List::isEmpty)) {
            throw UniserveException.invalid("--rows is " + rows + ": an actor has no row, use more");
        }
    }

    /** Puts every row with the number 0. */
    RowWorkload fill() {
        List<Document> all =
                keys.stream().flatMap(List::stream).map(key -> row(key, 0)).toList();
        table.update("kv.put@1", Document.CODEC, all).ack(AckLevel.ISR).run().orThrow();
        keys.forEach(own -> own.forEach(key -> {
            sent.put(key, 0L);
            acked.put(key, 0L);
        }));
        return this;
    }

    /** Starts one writer per actor. */
    RowWorkload write() {
        for (int actor = 0; actor < keys.size(); actor++) {
            int own = actor;
            start("failures-writer-" + own, round -> update(own, round));
        }
        return this;
    }

    /** Starts a reader that uses this client's table. */
    RowWorkload read(ClientTable via) {
        SplittableRandom random = new SplittableRandom(threads.size());
        start("failures-reader-" + threads.size(), round -> {
            if (round % READS_PER_COUNT == 0) {
                runOperation("count", () -> count(via));
            } else {
                List<String> own = keys.get(random.nextInt(keys.size()));
                String key = own.get(random.nextInt(own.size()));
                runOperation("read", () -> read(via, key));
            }
        });
        return this;
    }

    private interface Work {
        void run(long round);
    }

    /** Checked operation; returns a problem, or an empty text. */
    private interface CheckedOperation {
        String run();
    }

    private void start(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    for (long round = 1; !end; round++) {
                        work.run(round);
                        LockSupport.parkNanos(PAUSE_NANOS);
                    }
                },
                name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void runOperation(String what, CheckedOperation work) {
        long start = nanos.getAsLong();
        try {
            String wrong = work.run();
            operations.add(new Operation(what, start, nanos.getAsLong(), wrong.isEmpty() ? "right" : "wrong", wrong));
        } catch (UniserveException e) {
            operations.add(new Operation(what, start, nanos.getAsLong(), "failed", String.valueOf(e.getMessage())));
        }
    }

    private void update(int actor, long round) {
        List<String> own = keys.get(actor);
        String key = own.get((int) (round % own.size()));
        runOperation("update", () -> {
            sent.put(key, round);
            UpdateOutcome outcome = table.update("kv.put@1", Document.CODEC, List.of(row(key, round)))
                    .ack(AckLevel.ISR)
                    .run()
                    .orThrow();
            long now = nanos.getAsLong();
            acked.put(key, round);
            for (ActorAck ack : outcome.acked()) {
                firstAcks.get(actor).putIfAbsent(ack.epoch(), now);
            }
            return "";
        });
    }

    private static Document row(String key, long number) {
        return new Document("key", Map.of("key", key, "amount", number));
    }

    /** Counts all rows through this client's table. Returns a problem, or an empty text. */
    String count(ClientTable via) {
        long count = via.all()
                .retrieve(
                        COUNT,
                        PREFIX,
                        values -> values.stream().mapToLong(Long::longValue).sum());
        return count == rows ? "" : "counted " + count + " of " + rows + " rows";
    }

    /** Puts one row per actor that counts and comparisons ignore. */
    void probe(ClientTable via) {
        List<Document> rowOfEach = IntStream.range(0, keys.size())
                .mapToObj(actor -> Stream.iterate(0, i -> i + 1)
                        .map(i -> "probe" + i)
                        .filter(key -> partitioner.actorOf(PartitionKey.of(key)) == actor)
                        .findFirst()
                        .orElseThrow())
                .map(key -> row(key, 0))
                .toList();
        via.update("kv.put@1", Document.CODEC, rowOfEach)
                .ack(AckLevel.ISR)
                .run()
                .orThrow();
    }

    private String read(ClientTable via, String key) {
        long least = lastAcknowledged(key);
        List<Document> found = via.key(key)
                .retrieve(
                        GET,
                        key,
                        values -> values.stream().flatMap(List::stream).toList());
        long got = numberOf(found);
        return got >= least && got <= sent.getOrDefault(key, 0L)
                ? ""
                : key + " is " + got + ", acknowledged " + least + ", sent " + sent.get(key);
    }

    /** Returns the number in the documents of one key; -1 if there are none. */
    static long numberOf(List<Document> found) {
        return found.isEmpty()
                ? -1
                : (Long) Objects.requireNonNull(found.get(0).fields().get("amount"));
    }

    /** Returns the last acknowledged number of the key; -1 for none. */
    long lastAcknowledged(String key) {
        return acked.getOrDefault(key, -1L);
    }

    /** Returns the keys of an actor. */
    List<String> keys(int actor) {
        return keys.get(actor);
    }

    /** Returns the time at which the actor acknowledged its first update in a later epoch; empty before that. */
    OptionalLong acknowledgedAfter(int actor, long epoch) {
        Map.Entry<Long, Long> first = firstAcks.get(actor).ceilingEntry(epoch + 1);
        return first == null ? OptionalLong.empty() : OptionalLong.of(first.getValue());
    }

    /** Returns the number of acknowledged updates since the start. */
    long updates() {
        return operations.stream()
                .filter(o -> !o.isQuery() && o.hasVerdict("right"))
                .count();
    }

    /** Reads every row through this client's table and compares it. Call it after the load has ended. */
    Comparison compare(ClientTable via, String scenario, ResultCollector resultCollector) {
        int lost = 0;
        int wrong = 0;
        for (List<String> own : keys) {
            for (String key : own) {
                long got = numberOf(via.key(key)
                        .retrieve(
                                GET,
                                key,
                                values -> values.stream().flatMap(List::stream).toList()));
                lost += got < lastAcknowledged(key) ? 1 : 0;
                wrong += got > sent.getOrDefault(key, 0L) ? 1 : 0;
                resultCollector.raw("row", scenario, key, lastAcknowledged(key), sent.getOrDefault(key, 0L), got);
            }
        }
        return new Comparison(rows, lost, wrong);
    }

    /** Writes raw lines, figures of the queries, and a summary. Call it after the load has ended. */
    void report(String scenario, ResultCollector resultCollector) {
        for (Operation o : operations) {
            resultCollector.raw("op", scenario, o.what(), o.startNanos(), o.endNanos() - o.startNanos(), o.verdict());
        }
        List<Operation> queries = operations.stream().filter(Operation::isQuery).toList();
        resultCollector.atMost(scenario + ": failed queries", count(queries, "failed"), 0);
        resultCollector.atMost(scenario + ": wrong queries", count(queries, "wrong"), 0);
        List<Double> seconds = queries.stream()
                .map(o -> (o.endNanos() - o.startNanos()) / ResultCollector.NANOS)
                .toList();
        resultCollector.print(
                "%d queries, p99 %.3f s, longest %.3f s; %d updates acknowledged, %d failed %s",
                queries.size(),
                ResultCollector.percentile(seconds, 0.99),
                ResultCollector.maxOf(seconds),
                updates(),
                operations.stream()
                        .filter(o -> !o.isQuery() && o.hasVerdict("failed"))
                        .count(),
                operations.stream()
                        .filter(o -> !o.hasVerdict("right"))
                        .map(Operation::problem)
                        .findFirst()
                        .orElse(""));
    }

    private static int count(List<Operation> queries, String verdict) {
        return (int) queries.stream().filter(o -> o.hasVerdict(verdict)).count();
    }

    /** Ends all threads after their current operations. */
    @Override
    public void close() {
        end = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
