package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tables of two replicas on MonetDB, with rows in memory, while servers are killed by SIGKILL during queries and updates. One cluster for
 * both cases; the second one leaves a server dead.
 */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class MonetFaultsIT {
    private static final int SERVERS = 3;
    private static final int SALES = 2_000;
    private static final int ROWS = 40;
    private static final int READERS = 2;
    private static final int STEPS = 8;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final AtomicInteger right = new AtomicInteger();
    private final Queue<String> failed = new ConcurrentLinkedQueue<>();
    private Path root;
    private StartedCluster cluster;

    @BeforeAll
    void start(@TempDir Path directory) {
        root = directory;
        cluster = StartedCluster.start(ProcessClusterOptions.of(root.resolve("cluster"), SERVERS, "monetdb")
                .with(Map.of("zookeeper.session-timeout", "2s", "server.lease", "500ms")));
    }

    @AfterAll
    void close() {
        cluster.close();
    }

    /** All rows are written in one update, in actors of several servers: no reader sees a part, or less than was acknowledged. */
    @Test
    @Order(1)
    void anAtomicUpdateIsWholeWhileItsDriverIsKilled() throws IOException {
        create("ordered", "columns=id bigint, x integer", "id", "4", "--level", "fully-serializable");
        AtomicInteger written = new AtomicInteger();
        put(0);
        underFire(() -> read(written), () -> {
            CompletableFuture<Void> dies = started(() -> {
                more(written);
                // The primary of the first actor is the transaction manager of the clients' updates.
                String driver = cluster.primary("ordered", 0);
                kill(driver);
                more(written);
                more(right);
                back(driver, "ordered");
            });
            while (!dies.isDone()) {
                int x = written.get() + 1;
                put(x);
                written.set(x);
            }
            dies.join();
        });
        assertThat(failed).isEmpty();
        assertThat(ask("SELECT min(x), max(x), count(*) FROM ordered"))
                .isEqualTo("[%1$d,%1$d,%2$d]".formatted(written.get(), ROWS));
    }

    /**
     * Rows that are loaded while a server is dead reach it after its restart: it has them when the server that took the load dies. Answers
     * are checked by arithmetic before, during and after the outage.
     */
    @Test
    @Order(2)
    void replicasAnswerWhileServersAreKilled() throws IOException {
        create("sales", "columns=id bigint, shop integer, amount decimal(15,2), sold date", "id", "4");
        create("shops", "columns=shop integer, name varchar", "shop", "1");
        create("late", "columns=id bigint, shop integer, amount decimal(15,2), sold date", "id", "3");
        load("sales", bars("sales.tbl"));
        Path late = bars("late.tbl");
        load("shops", Files.writeString(root.resolve("shops.csv"), "shop,name\n3,Rome\n4,Oslo\n"));
        Map<String, String> expected = expected("sales");
        expected.forEach(this::check);
        assertThat(failed).isEmpty();
        underFire(() -> expected.forEach(this::check), () -> {
            kill("server-1");
            more(right);
            load("late", late);
            back("server-1", "sales", "shops", "late");
            kill("server-2");
            expected("late").forEach(this::check);
            more(right);
        });
        assertThat(failed).isEmpty();
        expected.forEach((sql, rows) ->
                assertThat(run("sql", "-o", "json", sql).out()).as(sql).contains("\"rows\":[\n" + rows + "\n]"));
    }

    private void put(int x) {
        List<Document> rows = new ArrayList<>();
        for (long id = 0; id < ROWS; id++) {
            rows.add(new Document("id", Map.of("id", id, "x", (long) x)));
        }
        cluster.client()
                .table("ordered")
                .update("monetdb.put@1", Document.CODEC, rows)
                .run()
                .orThrow();
    }

    private void read(AtomicInteger written) {
        int least = written.get();
        try {
            String found = ask("SELECT min(x), max(x), count(*) FROM ordered");
            // One update may be in flight.
            int most = written.get() + 1;
            for (int x = least; x <= most; x++) {
                if (found.equals("[%1$d,%1$d,%2$d]".formatted(x, ROWS))) {
                    right.incrementAndGet();
                    return;
                }
            }
            failed.add(found + " where " + least + " to " + most + " were written");
        } catch (UniserveException e) {
            failed.add(e.toString());
        }
    }

    private static Map<String, String> expected(String table) {
        long all = 0;
        long rome = 0;
        for (int i = 1; i <= SALES; i++) {
            all += 100L * i + i % 100;
            rome += i % 10 == 3 ? 100L * i + i % 100 : 0;
        }
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put(
                "SELECT count(*), sum(amount), min(sold), max(sold) FROM " + table,
                "[%d,%d.%02d,\"2026-01-01\",\"2026-01-28\"]".formatted(SALES, all / 100, all % 100));
        expected.put(
                "SELECT name, sum(amount), count(*) FROM %s s JOIN shops ON s.shop = shops.shop WHERE name = 'Rome' GROUP BY name"
                        .formatted(table),
                "[\"Rome\",%d.%02d,%d]".formatted(rome / 100, rome % 100, SALES / 10));
        return expected;
    }

    private Path bars(String name) throws IOException {
        StringBuilder sales = new StringBuilder();
        for (int i = 1; i <= SALES; i++) {
            sales.append("%d|%d|%d.%02d|2026-01-%02d|\n".formatted(i, i % 10, i, i % 100, 1 + i % 28));
        }
        return Files.writeString(root.resolve(name), sales);
    }

    private void check(String sql, String rows) {
        try {
            String found = ask(sql);
            if (found.equals(rows)) {
                right.incrementAndGet();
            } else {
                failed.add(sql + ": " + found + ", not " + rows);
            }
        } catch (UniserveException e) {
            failed.add(sql + ": " + e);
        }
    }

    private String ask(String sql) {
        String answer = cluster.client()
                .query(sql.replaceFirst(".* FROM (\\w+).*", "$1"), sql)
                .body()
                .utf8();
        return answer.replaceFirst("(?s).*\"rows\":\\[\\s*(.*?)\\s*\\]\\}\\s*$", "$1");
    }

    /** Runs readers until the scenario has ended. */
    private void underFire(Runnable reading, Runnable story) {
        AtomicBoolean over = new AtomicBoolean();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            readers.add(started(() -> {
                do {
                    reading.run();
                } while (!over.get());
            }));
        }
        try {
            more(right);
            story.run();
        } finally {
            over.set(true);
        }
        CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).join();
    }

    /** Runs work in a new thread: the common pool may have too few. */
    private static CompletableFuture<Void> started(Runnable work) {
        return CompletableFuture.runAsync(work, task -> {
            Thread thread = new Thread(task, "monet-faults");
            thread.setDaemon(true);
            thread.start();
        });
    }

    private void more(AtomicInteger counter) {
        int before = counter.get();
        await().atMost(PATIENCE).until(() -> counter.get() >= before + STEPS || !failed.isEmpty());
    }

    private void kill(String server) {
        cluster.processes().daemon(server).kill();
    }

    /** Restarts the server and waits for the second replicas of these tables. */
    private void back(String server, String... tables) {
        cluster.processes().startServer(server);
        for (String table : tables) {
            await("replicas of " + table)
                    .atMost(PATIENCE)
                    .until(() -> cluster.client().admin().describeTable(table).map().actors().stream()
                            .allMatch(this::isWhole));
        }
    }

    private boolean isWhole(ActorState actor) {
        List<ServerId> live = cluster.client().routing().servers().stream()
                .map(server -> server.id())
                .toList();
        return actor.isr().stream().filter(live::contains).count() == 2;
    }

    private void create(String table, String columns, String key, String actors, String... more) {
        String words =
                "table create " + table + " --engine monetdb --rf 2 --actors " + actors + " --key " + key + " -O";
        List<String> all = new ArrayList<>(List.of(words.split(" ")));
        all.add(columns);
        all.addAll(List.of(more));
        Run run = run(all.toArray(String[]::new));
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
    }

    private void load(String table, Path file) {
        Run run = run("load", table, file.toString());
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
    }

    private Run run(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("-b", String.join(",", cluster.processes().bootstrap())));
        return new TestingConsole(RemoteCluster::connect).run(all.toArray(String[]::new));
    }
}
