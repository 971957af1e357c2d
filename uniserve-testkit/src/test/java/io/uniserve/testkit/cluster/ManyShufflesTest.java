package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.UnixOperatingSystemMXBean;
import io.uniserve.api.plan.Answer;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.kv.KvEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Thousands of plans with scatters on three servers of one process, some of which are cancelled, fail, or are past their
 * deadlines: afterwards there are as many threads and open files as before, and nothing is held. {@code -Duniserve.shuffles=10000}
 * asks for more than a build does.
 */
@Timeout(1_200)
class ManyShufflesTest {
    private static final int QUERIES = Integer.getInteger("uniserve.shuffles", 900);
    private static final int WARM_UP = 150;
    private static final int ASKERS = 4;
    private static final int ROWS = 60;
    /** Every number is in one slot's chunks, and in those that all four slots get. */
    private static final String SUM = Long.toString(5L * ROWS * (ROWS - 1) / 2);

    @TempDir
    Path directory;

    /** What is there, as far as plans with scatters could leave it. */
    private record Held(long threads, long files, List<String> told) {}

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
        long threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("uniserve"))
                .count();
        long files = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? system.getOpenFileDescriptorCount()
                : 0;
        return new Held(threads, files, told);
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
        try (LocalCluster cluster = LocalCluster.builder()
                .servers(3)
                .engine(new ShufflingEngine())
                .directory(directory)
                .start()) {
            UniserveClient client = cluster.client();
            client.admin()
                    .createTable(
                            TableSpec.named("t").port(KvEngine.NAME).hash(4).replicas(2));
            client.table("t")
                    .updateDocuments(
                            "kv.put@1",
                            IntStream.range(0, ROWS)
                                    .mapToObj(i -> Map.<String, Object>of("id", "k" + i, "n", (long) i))
                                    .toList())
                    .run()
                    .orThrow();
            ask(client, WARM_UP);
            await().until(() -> held(cluster).told().stream().allMatch(line -> line.endsWith(" 0.0")));
            Held before = held(cluster);
            assertThat(before.told()).hasSize(15);

            Map<String, Integer> ended = ask(client, QUERIES);

            assertThat(ended.keySet()).as("%s", ended).contains(SUM, "CANCELLED", "DEADLINE_EXCEEDED", "PORT_FAILED");
            assertThat(ended.getOrDefault(SUM, 0)).isGreaterThan(QUERIES / 2);
            assertThat(ended.keySet()).containsExactlyInAnyOrder(SUM, "CANCELLED", "DEADLINE_EXCEEDED", "PORT_FAILED");
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                Held after = held(cluster);
                assertThat(after.told()).isEqualTo(before.told());
                assertThat(after.threads()).isLessThanOrEqualTo(before.threads());
                assertThat(after.files()).isLessThanOrEqualTo(before.files());
                assertThat(chunks()).isEmpty();
            });
            assertThat(cluster.failures()).isEmpty();
        }
    }

    /** How many ended in which way: with which sum, or which error. */
    private static Map<String, Integer> ask(UniserveClient client, int queries) {
        Map<String, Integer> ended = new ConcurrentSkipListMap<>();
        AtomicInteger next = new AtomicInteger();
        List<CompletableFuture<Void>> askers = IntStream.range(0, ASKERS)
                .mapToObj(asker -> CompletableFuture.runAsync(() -> {
                    for (int n = next.getAndIncrement(); n < queries; n = next.getAndIncrement()) {
                        ended.merge(ask(client, n, n % 15), 1, Integer::sum);
                    }
                }))
                .toList();
        askers.forEach(CompletableFuture::join);
        return new TreeMap<>(ended);
    }

    private static String ask(UniserveClient client, int number, int kind) {
        try {
            if (kind == 3) {
                return text(client.query("t", "slow", Duration.ofMillis(15)));
            }
            if (kind == 7) {
                return text(client.query("t", "throw"));
            }
            if (kind == 11) {
                CompletableFuture<Answer> asked = client.queryAsync("t", "slow").toCompletableFuture();
                CompletableFuture.delayedExecutor(number % 10, java.util.concurrent.TimeUnit.MILLISECONDS)
                        .execute(() -> asked.cancel(true));
                return text(asked.join());
            }
            return text(client.query("t", "sum"));
        } catch (UniserveException e) {
            return e.code().name();
        } catch (java.util.concurrent.CancellationException e) {
            return ErrorCode.CANCELLED.name();
        }
    }

    private static String text(Answer answer) {
        return answer.body().utf8();
    }
}
