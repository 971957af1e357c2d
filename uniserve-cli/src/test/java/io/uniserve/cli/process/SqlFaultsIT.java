package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins and sub-queries of several rounds while a server is killed by SIGKILL and restarts: an answer is correct, by arithmetic, or an
 * error.
 */
class SqlFaultsIT {
    private static final Logger LOG = LoggerFactory.getLogger(SqlFaultsIT.class);
    private static final int SALES = 4_000;
    private static final int SHOPS = 40;
    private static final int READERS = 3;
    private static final int ANSWERS = 30;

    private final Map<String, String> expected = new LinkedHashMap<>();
    private final AtomicInteger right = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final Queue<UniserveException> errors = new ConcurrentLinkedQueue<>();

    /** Expected errors after a kill: every table has a second replica, so failures are temporary. */
    private static final Set<ErrorCode> NAMED =
            EnumSet.of(ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED, ErrorCode.EXCHANGE_LOST);

    @Test
    void anAnswerIsRightOrAnErrorWhileAServerIsKilled(@TempDir Path directory) {
        try (StartedCluster started = StartedCluster.start(ProcessClusterOptions.of(directory, 3, "duckdb"))) {
            fill(started.client());
            expect();
            expected.forEach((sql, rows) ->
                    assertThat(ask(started.client(), sql)).as(sql).isEqualTo(rows));
            underFire(started);
            assertThat(right.get()).isGreaterThanOrEqualTo(2 * ANSWERS);
            LOG.info("{} right answers, {} errors", right, errors.size());
            assertThat(errors).extracting(UniserveException::code).isSubsetOf(NAMED);
            // Each reader has one open query when the server dies, and one when it returns.
            assertThat(errors).hasSizeLessThanOrEqualTo(2 * READERS);
            expected.forEach((sql, rows) ->
                    assertThat(ask(started.client(), sql)).as(sql).isEqualTo(rows));
        }
    }

    private static void fill(UniserveClient client) {
        table(client, "sales", "columns=id bigint, shop integer, amount bigint", "id", 5);
        table(client, "shops", "columns=shop integer, city varchar", "shop", 3);
        List<Document> sales = new ArrayList<>();
        for (long i = 1; i <= SALES; i++) {
            sales.add(new Document("id", Map.of("id", i, "shop", i % SHOPS, "amount", i)));
        }
        List<Document> shops = new ArrayList<>();
        for (long i = 0; i < SHOPS; i++) {
            shops.add(new Document("shop", Map.of("shop", i, "city", i % 4 == 0 ? "Rome" : "Oslo")));
        }
        client.table("sales")
                .update("duckdb.put@1", Document.CODEC, sales)
                .run()
                .orThrow();
        client.table("shops")
                .update("duckdb.put@1", Document.CODEC, shops)
                .run()
                .orThrow();
    }

    private static void table(UniserveClient client, String name, String columns, String key, int actors) {
        client.admin()
                .createTable(TableSpec.named(name)
                        .port("duckdb")
                        .keyField(key)
                        .hash(actors)
                        .replicas(2)
                        .option("columns", columns.substring("columns=".length())));
    }

    private void expect() {
        // Shuffles, which fail with a server and are repeated.
        String cut = "SELECT /*+ shuffle_all */ count(*), sum(amount) FROM sales JOIN shops ON sales.shop = shops.shop";
        expected.put(cut, "[\n[" + SALES + "," + (long) SALES * (SALES + 1) / 2 + "]\n]");
        long romans = 0;
        long large = 0;
        for (long i = 1; i <= SALES; i++) {
            romans += i % SHOPS % 4 == 0 ? i : 0;
            // Average of a shop's sales: they are i % SHOPS and every SHOPS-th after it.
            long first = i % SHOPS == 0 ? SHOPS : i % SHOPS;
            long last = SALES - SHOPS + first;
            large += 2 * i > first + last ? 1 : 0;
        }
        expected.put(
                "SELECT city, sum(amount) FROM sales JOIN shops ON sales.shop = shops.shop WHERE city = 'Rome' GROUP BY city",
                "[\n[\"Rome\"," + romans + "]\n]");
        expected.put(
                "SELECT sum(amount) FROM sales WHERE shop IN (SELECT shop FROM shops WHERE city = 'Rome')",
                "[\n[" + romans + "]\n]");
        expected.put(
                "SELECT count(*) FROM sales s WHERE amount > (SELECT avg(amount) FROM sales t WHERE t.shop = s.shop)",
                "[\n[" + large + "]\n]");
        expected.put(
                "SELECT count(*) FROM shops WHERE NOT EXISTS (SELECT 1 FROM sales WHERE sales.shop = shops.shop AND id > "
                        + (SALES - 10) + ")",
                "[\n[" + (SHOPS - 10) + "]\n]");
    }

    private void underFire(StartedCluster started) {
        AtomicBoolean stop = new AtomicBoolean();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            readers.add(CompletableFuture.runAsync(() -> {
                do {
                    expected.forEach((sql, rows) -> check(started.client(), sql, rows));
                } while (!stop.get());
            }));
        }
        try {
            await("queries under way").until(() -> right.get() > ANSWERS);
            await("a query is open").until(() -> open.get() > 0);
            started.processes().daemon("server-1").kill();
            int before = right.get();
            await("answers without the server").until(() -> right.get() > before + ANSWERS);
            started.processes().startServer("server-1");
        } finally {
            stop.set(true);
        }
        CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).join();
    }

    private void check(UniserveClient client, String sql, String rows) {
        String answer;
        open.incrementAndGet();
        try {
            answer = ask(client, sql);
        } catch (UniserveException e) {
            LOG.info("no answer to {}", sql, e);
            errors.add(e);
            return;
        } finally {
            open.decrementAndGet();
        }
        assertThat(answer).as(sql).isEqualTo(rows);
        right.incrementAndGet();
    }

    private static String ask(UniserveClient client, String sql) {
        String answer = client.query("sales", sql).body().utf8();
        return answer.replaceFirst("(?s).*\"rows\":(\\[.*\\])\\}\\n", "$1");
    }
}
