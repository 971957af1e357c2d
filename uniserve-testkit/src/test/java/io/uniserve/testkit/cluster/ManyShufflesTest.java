package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.plan.Answer;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.kv.KvEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leak test of thousands of plans with scatters, on three servers in one process.
 *
 * <p>Some plans write their chunks to files. Some are cancelled, or reach their deadline, in the first stage or the last. In some a stage
 * fails for good, or on one server, or its chunks are lost. Afterwards the process has no more threads of any kind and no more open files
 * than after a warm-up with all kinds of plans, and no chunk is left. {@code -Duniserve.shuffles=10000} runs more plans than a build does.
 */
@Isolated
@Timeout(1_200)
class ManyShufflesTest {
    private static final int QUERIES = Integer.getInteger("uniserve.shuffles", 900);
    /** Queries of one round, with every kind of plan several times. */
    private static final int WARM_UP = 144;

    private static final int ASKERS = 4;
    private static final String ASKER = "asker";
    private static final int ROWS = 60;
    /** Every number is in one slot's chunks, and in those that all four slots get. */
    private static final String SUM = Long.toString(5L * ROWS * (ROWS - 1) / 2);

    /** The kinds of queries in turn; all others are plain sums. */
    private static final Map<Integer, String> KINDS = Map.of(
            1, "spoil", 2, "large", 3, "slow", 5, "break", 7, "throw", 9, "crawl", 11, "slow", 12, "busy", 13, "crawl",
            14, "lose");

    private static final int TURN = 18;
    /** Number of queries per turn with the sum as their only result. */
    private static final int PLAIN = 9;
    /** First turn in which the client cancels; earlier ones end by their deadline. */
    private static final int GIVEN_UP_FROM = 10;

    private static final Logger LOG = LoggerFactory.getLogger(ManyShufflesTest.class);

    @TempDir
    Path directory;

    /** Resources that plans with scatters may leak. */
    private record Held(Footprint open, List<String> told) {}

    private final AtomicInteger asked = new AtomicInteger();

    private static Held held(LocalCluster cluster) {
        List<String> told = new ArrayList<>();
        for (int server = 1; server <= 3; server++) {
            cluster.server(server)
                    .scrape()
                    .lines()
                    .filter(line -> line.matches(
                            "uniserve_server_(exchange_runs|exchange_bytes|exchange_files|reads_active|sessions) .*"))
                    .sorted()
                    .forEach(told::add);
        }
        return new Held(Footprint.now(), told);
    }

    /** The resources once no plan is under way. */
    private static Held idle(LocalCluster cluster) {
        AtomicReference<Held> last = new AtomicReference<>();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            Held now = held(cluster);
            last.set(now);
            assertThat(now.told())
                    .hasSize(15)
                    .allSatisfy(line -> assertThat(line).endsWith(" 0.0"));
            assertThat(now.open().threads()).doesNotContainKey(ASKER);
        });
        return Objects.requireNonNull(last.get());
    }

    private List<Path> chunks() {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(path -> path.toString().matches(".*/exchange/.+"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void threadsFilesAndIntermediatesAreAsBefore() {
        try (LocalCluster cluster = ShufflingEngine.cluster(3, directory)) {
            UniserveClient client = cluster.client();
            client.admin()
                    .createTable(
                            TableSpec.named("t").port(KvEngine.NAME).hash(4).replicas(2));
            ShufflingEngine.put(client, "t", ROWS);
            Footprint before = Footprint.settled(() -> {
                ask(client, WARM_UP);
                return idle(cluster).open();
            });
            LOG.warn("settled after {} queries: {}", asked, before);

            Map<String, Integer> ended = ask(client, QUERIES);
            LOG.warn("{} queries ended {}", QUERIES, ended);

            assertThat(ended.keySet())
                    .containsExactlyInAnyOrder(
                            SUM, SUM + " spilled", SUM + " anew", "CANCELLED", "DEADLINE_EXCEEDED", "PORT_FAILED");
            assertThat(ended.getOrDefault(SUM, 0)).isGreaterThanOrEqualTo(QUERIES / TURN * PLAIN);
            assertThat(ended.getOrDefault(SUM + " spilled", 0)).isGreaterThanOrEqualTo(QUERIES / TURN);
            assertThat(ended.getOrDefault(SUM + " anew", 0)).isGreaterThanOrEqualTo(QUERIES / TURN);
            idle(cluster);
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                Footprint after = Footprint.now();
                assertThat(after.threadsAbove(before.withPools(3))).isEmpty();
                assertThat(after.files()).isLessThanOrEqualTo(before.files());
                assertThat(chunks()).isEmpty();
            });
            LOG.warn("after {} queries: {}", asked, Footprint.now());
            assertThat(cluster.failures()).isEmpty();
        }
    }

    /** Number of queries per result: the sum or the error. */
    private Map<String, Integer> ask(UniserveClient client, int queries) {
        Map<String, Integer> ended = new ConcurrentSkipListMap<>();
        int from = asked.getAndAdd(queries);
        AtomicInteger next = new AtomicInteger(from);
        // One more thread for those that cancel. All threads end with this method, unlike threads of common pools.
        ScheduledExecutorService threads =
                Executors.newScheduledThreadPool(ASKERS + 1, task -> new Thread(task, ASKER));
        try {
            List<CompletableFuture<Void>> askers = IntStream.range(0, ASKERS)
                    .mapToObj(asker -> CompletableFuture.runAsync(
                            () -> {
                                for (int n = next.getAndIncrement(); n < from + queries; n = next.getAndIncrement()) {
                                    ended.merge(end(client, threads, n, n % TURN), 1, Integer::sum);
                                }
                            },
                            threads))
                    .toList();
            askers.forEach(CompletableFuture::join);
        } finally {
            threads.shutdown();
        }
        return new TreeMap<>(ended);
    }

    private static String end(UniserveClient client, ScheduledExecutorService later, int number, int turn) {
        String kind = KINDS.getOrDefault(turn, "sum");
        boolean endless = kind.equals("slow") || kind.equals("crawl");
        String text = kind + " " + number;
        try {
            if (endless && turn < GIVEN_UP_FROM) {
                return text(client.query("t", text, Duration.ofMillis(15)));
            }
            if (endless) {
                CompletableFuture<Answer> asked = client.queryAsync("t", text).toCompletableFuture();
                Object unused = later.schedule(() -> asked.cancel(true), number % 10, TimeUnit.MILLISECONDS);
                return text(asked.join());
            }
            return text(client.query("t", text));
        } catch (UniserveException e) {
            return e.code().name();
        } catch (CancellationException e) {
            return ErrorCode.CANCELLED.name();
        }
    }

    private static String text(Answer answer) {
        return answer.body().utf8();
    }
}
