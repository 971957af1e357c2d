package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Partitioner;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.message.client.ReadMode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queries of several rounds over two tables with atomic updates, while each sale is written to one table and then to the other: a query
 * that sees it in the second table must see it in the first.
 */
class OneMomentTest {
    private static final Logger LOG = LoggerFactory.getLogger(OneMomentTest.class);
    private static final int ROUNDS = 12;
    private static final long FIRST_MILLIS = 1_700_000_000_000L;
    private static final long HOUR_MILLIS = 3_600_000;
    private static final int SALES_PER_HOUR = 10;
    private static final int HOURS = 12;

    private final AtomicLong sales = new AtomicLong();
    private final Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();
    private final AtomicInteger errors = new AtomicInteger();
    private final Map<String, AtomicInteger> right = new LinkedHashMap<>();
    private final Map<String, String> wrong = new ConcurrentHashMap<>();
    private final AtomicBoolean over = new AtomicBoolean();

    OneMomentTest() {
        // The sub-query, or the table that does not stay, is read first.
        right.put(
                "SELECT count(*) FROM paid WHERE NOT EXISTS (SELECT 1 FROM ordered WHERE ordered.id = paid.id)",
                new AtomicInteger());
        right.put(
                "SELECT count(*) - count(ordered.id) FROM paid LEFT JOIN ordered ON paid.id = ordered.id",
                new AtomicInteger());
        right.put(
                "SELECT /*+ shuffle */ count(*) - count(ordered.id) FROM paid LEFT JOIN ordered ON paid.id = ordered.id"
                        + " WHERE paid.amount >= (SELECT min(amount) FROM ordered)",
                new AtomicInteger());
        right.put("SELECT count(*) - count(b.id) FROM paid a LEFT JOIN paid b ON a.id = b.id", new AtomicInteger());
    }

    @Test
    void aSaleIsSeenInTheFirstTableWhereItIsSeenInTheSecond(@TempDir Path directory) throws Exception {
        check(directory, new Partitioner.Hash(3), new Partitioner.Hash(4));
    }

    /** New chunks are made in both tables while the queries run. */
    @Test
    void theSameWhereTheTablesArePartitionedByTime(@TempDir Path directory) throws Exception {
        check(directory, hours("PT1H", 1), hours("PT2H", 2));
    }

    private static Partitioner hours(String chunk, int buckets) {
        return new Partitioner.Time(
                "ts",
                new ChunkCalendar(IsoPeriod.parse("chunk", chunk), ZoneOffset.UTC),
                buckets,
                Optional.empty(),
                IsoPeriod.parse("ahead", "P1D"));
    }

    private void check(Path directory, Partitioner ordered, Partitioner paid) throws Exception {
        try (TpchCluster cluster = new TpchCluster(directory, 4)) {
            table(cluster, "ordered", ordered);
            table(cluster, "paid", paid);
            sell(cluster);
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int writer = 0; writer < 2; writer++) {
                all.add(CompletableFuture.runAsync(() -> {
                    while (!over.get()) {
                        sell(cluster);
                    }
                }));
            }
            for (ReadMode mode : List.of(ReadMode.LINEARIZABLE, ReadMode.STRICT)) {
                all.add(CompletableFuture.runAsync(() -> ask(cluster, mode)));
            }
            try {
                progress();
                cluster.cluster().stopAbruptly(2);
                progress();
            } finally {
                over.set(true);
            }
            all.forEach(CompletableFuture::join);
            LOG.info("{} sales, {} right answers, {} errors", sales, right.values(), errors);
            assertThat(wrong).isEmpty();
        }
    }

    private static void table(TpchCluster cluster, String name, Partitioner partitioner) {
        cluster.client()
                .admin()
                .createTable(TableSpec.named(name)
                        .port("duckdb")
                        .keyField("id")
                        .partitioner(partitioner)
                        .replicas(2)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE)
                        .option("columns", "id bigint, amount integer, ts bigint"));
    }

    private void sell(TpchCluster cluster) {
        long id = sales.incrementAndGet();
        long ts = FIRST_MILLIS + id / SALES_PER_HOUR % HOURS * HOUR_MILLIS;
        List<Document> sale = List.of(new Document("id", Map.of("id", id, "amount", id % 100, "ts", ts)));
        try {
            cluster.put("ordered", "duckdb.put@1", sale);
            cluster.put("paid", "duckdb.put@1", sale);
            acknowledged.add(id);
        } catch (UniserveException e) {
            LOG.info("sale {} may be in no table, or in the first", id, e);
        }
    }

    private void ask(TpchCluster cluster, ReadMode mode) {
        while (!over.get()) {
            Long newest = acknowledged.poll();
            if (newest != null) {
                acknowledgedIsSeen(cluster, mode, newest);
            }
            right.forEach((sql, answers) -> {
                try {
                    String rows = TpchCluster.rows(cluster.client()
                            .table("paid")
                            .all()
                            .mode(mode)
                            .query(sql)
                            .body()
                            .utf8());
                    if (rows.matches("\\D*0\\D*")) {
                        answers.incrementAndGet();
                    } else {
                        wrong.put(sql, rows);
                    }
                } catch (UniserveException e) {
                    errors.incrementAndGet();
                    LOG.info("no answer to {}", sql, e);
                }
            });
        }
    }

    /** The first round calls one actor, which the sale need not concern. */
    private void acknowledgedIsSeen(TpchCluster cluster, ReadMode mode, long id) {
        String sql = "SELECT count(*) FROM paid WHERE id = " + id
                + " AND amount >= (SELECT min(amount) - 100 FROM paid WHERE" + " id = 1)";
        try {
            String rows = TpchCluster.rows(cluster.client()
                    .table("paid")
                    .all()
                    .mode(mode)
                    .query(sql)
                    .body()
                    .utf8());
            if (!rows.matches("\\D*1\\D*")) {
                wrong.put(sql, rows);
            }
        } catch (UniserveException e) {
            errors.incrementAndGet();
            LOG.info("no answer to {}", sql, e);
        }
    }

    private void progress() {
        List<Integer> before = right.values().stream().map(AtomicInteger::get).toList();
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> {
            List<Integer> now = right.values().stream().map(AtomicInteger::get).toList();
            boolean all = true;
            for (int i = 0; i < now.size(); i++) {
                all &= now.get(i) >= before.get(i) + ROUNDS;
            }
            return all || !wrong.isEmpty();
        });
    }
}
