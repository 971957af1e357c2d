package io.uniserve.cli.bench.tpch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.plan.Answer;
import io.uniserve.benchmark.tpch.BaselineSqlProcess;
import io.uniserve.benchmark.tpch.SqlAnswerComparator;
import io.uniserve.benchmark.tpch.TpchDataGenerator;
import io.uniserve.benchmark.tpch.TpchQuery;
import io.uniserve.benchmark.tpch.UniserveTpchCluster;
import io.uniserve.cli.command.Console;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TPC-H while each server in turn is killed by SIGKILL during queries: an answer equals that of one engine with all rows, or is an error. A
 * server is killed again until the death affected an open query, by a retry or a failure. The last one is killed until that query had
 * shuffled tables.
 */
@Tag("full")
class TpchFaultsIT {
    private static final Logger LOG = LoggerFactory.getLogger(TpchFaultsIT.class);
    private static final int SERVERS = 3;
    private static final int READERS = 3;
    /** Maximum kills per server; it is very unlikely that none of them affects a query. */
    private static final int KILLS_MAX = 10;

    private static final List<Integer> QUERIES = List.of(1, 3, 10, 5, 6, 12, 13, 18, 21);
    /** Readers send only these queries, with all tables shuffled that can be. */
    private static final List<Integer> SHUFFLED = List.of(3, 5, 10, 18);

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    /** Expected errors: every actor has a second replica, so failures are temporary. */
    private static final Set<ErrorCode> NAMED =
            EnumSet.of(ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED, ErrorCode.EXCHANGE_LOST);

    private final Map<TpchQuery, List<List<@Nullable String>>> expected = new LinkedHashMap<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger right = new AtomicInteger();
    private final Set<Integer> open = ConcurrentHashMap.newKeySet();
    /** Queries that failed or retried an actor. */
    private final Set<Integer> hit = ConcurrentHashMap.newKeySet();

    private final Set<Integer> shuffledHit = ConcurrentHashMap.newKeySet();
    /** True after a kill affected one of the shuffled queries. */
    private boolean shuffledMet;

    private final ConcurrentLinkedQueue<UniserveException> errors = new ConcurrentLinkedQueue<>();
    /** One client per kill: it has not seen the server die before, and uses it like the others. */
    private final ConcurrentLinkedDeque<UniserveClient> clients = new ConcurrentLinkedDeque<>();

    @Test
    void answersAreRightWhileEachServerIsKilled(@TempDir Path directory) throws IOException {
        Console quiet = new Console(
                InputStream.nullInputStream(),
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
                false);
        double scale = Double.parseDouble(System.getProperty("uniserve.tpch.scale", "0.01"));
        TpchDataGenerator data =
                new TpchDataGenerator(directory, TpchDataGenerator.TABLES, scale, quiet, System::nanoTime);
        try (BaselineSqlProcess bare = BaselineSqlProcess.bare(directory, "-Xmx256m", 2);
                UniserveTpchCluster uniserve = new UniserveTpchCluster(
                        ProcessClusterOptions.of(directory.resolve("cluster"), SERVERS, "duckdb")
                                .withFastStart())) {
            await("all servers")
                    .atMost(PATIENCE)
                    .until(() -> uniserve.client().routing().servers().size() == SERVERS);
            uniserve.load(data, TpchDataGenerator.TABLES, 4, 2, quiet, System::nanoTime);
            bare.load(data, TpchDataGenerator.TABLES);
            for (TpchQuery query : TpchQuery.of(QUERIES)) {
                expected.put(query, bare.query(query));
                check(uniserve.client().query(query.table(), query.sql()), query);
            }
            for (TpchQuery query : shuffled()) {
                expected.put(query, bare.query(query));
                check(uniserve.client().query(query.table(), query.sql()), query);
                assertThat(uniserve.client()
                                .query(query.table(), "EXPLAIN " + query.sql())
                                .body()
                                .utf8())
                        .contains("shuffle lineitem");
            }
            connect(uniserve);
            int kills = underFire(uniserve);
            LOG.info("{} right answers, {} errors, {} queries hit, {} kills", right, errors.size(), hit.size(), kills);
            assertThat(errors).extracting(UniserveException::code).isSubsetOf(NAMED);
            // Each reader has one open query when a server dies, and one when it returns.
            assertThat(errors).hasSizeLessThanOrEqualTo(2 * READERS * kills);
            settled(uniserve);
            expected.keySet().forEach(query -> check(uniserve.client().query(query.table(), query.sql()), query));
        }
    }

    private static List<TpchQuery> shuffled() {
        return TpchQuery.of(SHUFFLED).stream()
                .map(query -> new TpchQuery(
                        query.number(), query.sql().replaceFirst("(?i)select\\s", "select /*+ shuffle_all */ ")))
                .toList();
    }

    private void check(Answer answer, TpchQuery query) {
        assertThat(SqlAnswerComparator.difference(
                        UniserveTpchCluster.rows(answer.body().utf8()), expected.getOrDefault(query, List.of())))
                .as(query.name())
                .isEmpty();
    }

    /** Kills each server until one kill affected a query. Returns the number of kills. */
    private int underFire(UniserveTpchCluster uniserve) {
        AtomicBoolean stop = new AtomicBoolean();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            List<TpchQuery> asks = i == 0 ? shuffled() : List.copyOf(expected.keySet());
            readers.add(CompletableFuture.runAsync(() -> {
                while (!stop.get()) {
                    asks.forEach(this::ask);
                }
            }));
        }
        int kills = 0;
        try {
            for (int server = 1; server <= SERVERS; server++) {
                boolean once = false;
                boolean all = false;
                for (int i = 0; i < KILLS_MAX && !all; i++) {
                    once |= kill(uniserve, "server-" + server, readers);
                    all = once && (server < SERVERS || shuffledMet);
                    kills++;
                }
                assertThat(once).as("a death of server-%d hit a query", server).isTrue();
            }
            assertThat(shuffledMet).as("a death hit a shuffled query").isTrue();
        } finally {
            stop.set(true);
        }
        CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).join();
        clients.forEach(UniserveClient::close);
        return kills;
    }

    /** Returns true if the kill affected an open query. */
    private boolean kill(UniserveTpchCluster uniserve, String server, List<CompletableFuture<Void>> readers) {
        settled(uniserve);
        connect(uniserve);
        int before = right.get();
        await("queries under way").atMost(PATIENCE).until(() -> right.get() > before + READERS || failed(readers));
        await("all readers ask").atMost(PATIENCE).until(() -> open.size() == READERS || failed(readers));
        List<Integer> under = List.copyOf(open);
        uniserve.processes().daemon(server).kill();
        await("their ends").atMost(PATIENCE).until(() -> under.stream().noneMatch(open::contains));
        int dead = right.get();
        await("answers without it")
                .atMost(PATIENCE)
                .until(() -> right.get() > dead + expected.size() || failed(readers));
        uniserve.processes().startServer(server);
        assertThat(failed(readers)).as("a reader ended").isFalse();
        shuffledMet |= under.stream().anyMatch(shuffledHit::contains);
        return under.stream().anyMatch(hit::contains);
    }

    private void connect(UniserveTpchCluster uniserve) {
        clients.addLast(UniserveClient.builder()
                .bootstrap(uniserve.processes().bootstrap().toArray(String[]::new))
                .deadline(Duration.ofMinutes(10))
                .connectTimeout(Duration.ofMinutes(1))
                .build());
    }

    /** True if a reader has ended because of a wrong answer. */
    private static boolean failed(List<CompletableFuture<Void>> readers) {
        return readers.stream().anyMatch(CompletableFuture::isCompletedExceptionally);
    }

    /** Waits until all replicas are in sync, so that any one server may die. */
    private static void settled(UniserveTpchCluster uniserve) {
        await("replicas in sync")
                .atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(UniserveException.class)
                .until(() -> uniserve.client().admin().listTables().stream()
                        .allMatch(table -> table.map().actors().stream()
                                .allMatch(actor -> actor.epochStarted()
                                        && actor.isr().size() == table.meta().rf())));
    }

    private void ask(TpchQuery query) {
        int number = asked.incrementAndGet();
        open.add(number);
        try {
            Answer answer = clients.getLast().query(query.table(), query.sql());
            check(answer, query);
            right.incrementAndGet();
            if (answer.effort().retries() > 0) {
                hit(number, query);
            }
        } catch (UniserveException e) {
            LOG.info("no answer to {}", query.name(), e);
            errors.add(e);
            hit(number, query);
        } finally {
            open.remove(number);
        }
    }

    private void hit(int number, TpchQuery query) {
        hit.add(number);
        if (query.sql().contains("shuffle_all")) {
            shuffledHit.add(number);
        }
    }
}
