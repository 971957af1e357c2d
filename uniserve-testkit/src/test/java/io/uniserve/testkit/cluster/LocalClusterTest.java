package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.kv.KvEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LocalClusterTest {
    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));
    private static final RetrieveCall<String, Long> COUNT =
            new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);
    private static final int ROWS = 500;
    private static final int QUERIES_AFTER_STOP = 300;

    /** Results of one thread of the load. */
    private record Load(AtomicInteger answered, List<String> failed, List<String> wrong) {
        Load() {
            this(new AtomicInteger(), new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());
        }

        void query(ClientTable table) {
            int i = answered.get() % ROWS;
            try {
                long count = count(table);
                List<Document> row = table.key("k" + i).retrieve(GET, "k" + i, parts -> parts.get(0));
                if (count != ROWS) {
                    wrong.add("count " + count);
                }
                if (row.size() != 1
                        || !Long.valueOf(i).equals(row.get(0).fields().get("n"))) {
                    wrong.add("k" + i + " is " + row);
                }
            } catch (UniserveException e) {
                failed.add(e.toString());
            }
            answered.incrementAndGet();
        }
    }

    @Test
    void losesNoQueryWhenAServerStopsAbruptly() {
        try (LocalCluster cluster = LocalCluster.builder()
                .servers(3)
                .engine(new KvEngine())
                .setting("server.stop-grace", "0s")
                .start()) {
            ClientTable table = table(cluster, 2);
            Load load = new Load();
            AtomicBoolean end = new AtomicBoolean();
            List<CompletableFuture<Void>> threads = IntStream.range(0, 4)
                    .mapToObj(i -> CompletableFuture.runAsync(() -> {
                        while (!end.get()) {
                            load.query(table);
                        }
                    }))
                    .toList();
            await().until(() -> load.answered().get() >= 50);
            cluster.stopAbruptly(2);
            int stoppedAt = load.answered().get();
            await().atMost(Duration.ofSeconds(30)).until(() -> load.answered().get() >= stoppedAt + QUERIES_AFTER_STOP);
            end.set(true);
            threads.forEach(CompletableFuture::join);

            assertThat(load.failed()).isEmpty();
            assertThat(load.wrong()).isEmpty();
            assertThat(cluster.failures()).isEmpty();
            assertThat(cluster.bootstrap()).hasSize(3);
            assertThatThrownBy(() -> cluster.stop(2)).hasMessageContaining("server 2 does not run");
        }
    }

    @Test
    void serversTellWhatQueriesAskTogetherAndWhatItCosts() {
        try (LocalCluster cluster =
                LocalCluster.builder().servers(2).engine(new KvEngine()).start()) {
            ClientTable table = table(cluster, 1);
            for (int n = 0; n < 400; n++) {
                table.actors(List.of(0, 1)).retrieve(COUNT, "", parts -> parts.size());
            }
            await().untilAsserted(() -> {
                var loads = cluster.client().admin().status().loads();
                assertThat(loads.stream().flatMap(load -> load.sets().stream())).anySatisfy(set -> {
                    assertThat(set.actors()).containsExactly(0, 1);
                    assertThat(set.perSecond()).isPositive();
                });
                assertThat(loads)
                        .allSatisfy(load -> assertThat(load.memoryBytes()).isPositive());
                assertThat(loads.stream().flatMap(load -> load.replicas().stream()))
                        .anySatisfy(replica ->
                                assertThat(replica.queryCostMillisPerSecond()).isPositive());
            });
        }
    }

    @Test
    void hasItsRowsBackOnTheSameDirectory(@TempDir Path directory) {
        LocalClusterBuilder builder =
                LocalCluster.builder().servers(2).engine(new KvEngine()).directory(directory);
        try (LocalCluster cluster = builder.start()) {
            assertThat(count(table(cluster, 2))).isEqualTo(ROWS);
        }
        LocalCluster again = builder.start();
        try (again) {
            assertThat(count(again.client().table("t"))).isEqualTo(ROWS);
            again.stop(1);
            assertThat(count(again.client().table("t"))).isEqualTo(ROWS);
            again.start(1);
            assertThat(count(again.client().table("t"))).isEqualTo(ROWS);
        }
        again.close();
        assertThat(directory).isDirectory();
        assertThatThrownBy(again::client)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
    }

    @Test
    void refusesNumbersOfServersThatCannotBe() {
        for (int count : new int[] {-1, 0, 33, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> LocalCluster.builder().servers(count))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        }
    }

    private static ClientTable table(LocalCluster cluster, int replicas) {
        cluster.client()
                .admin()
                .createTable(TableSpec.named("t").port(KvEngine.NAME).hash(8).replicas(replicas));
        ClientTable table = cluster.client().table("t");
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(Map.of("id", "k" + i, "n", (long) i));
        }
        table.updateDocuments("kv.put@1", rows).run().orThrow();
        return table;
    }

    private static long count(ClientTable table) {
        return table.all()
                .retrieve(
                        COUNT,
                        "",
                        parts -> parts.stream().mapToLong(Long::longValue).sum());
    }
}
