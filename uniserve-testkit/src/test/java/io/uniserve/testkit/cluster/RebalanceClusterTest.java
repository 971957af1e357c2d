package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A new server gets replicas while the table is read and written, and hot actors move to different servers. */
@Timeout(900)
class RebalanceClusterTest {
    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));
    private static final RetrieveCall<String, Long> COUNT =
            new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int ROWS = 2_000;
    private static final int ACTORS = 24;
    private static final int COPIES = 2;

    private final AtomicBoolean end = new AtomicBoolean();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final List<String> failed = new CopyOnWriteArrayList<>();
    private final List<String> wrong = new CopyOnWriteArrayList<>();

    @Test
    void aServerThatJoinsIsFilledAndNoQueryNoticesIt() {
        try (LocalCluster cluster = LocalCluster.builder()
                .servers(3)
                .engine(new KvEngine())
                .setting("coordinator.rebalance.period", "1s")
                .start()) {
            ClientTable table = table(cluster);
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            IntStream.range(0, 2).forEach(i -> threads.add(CompletableFuture.runAsync(() -> read(table))));
            threads.add(CompletableFuture.runAsync(() -> write(table)));
            await().atMost(PATIENCE).until(() -> answered.get() > 100);

            cluster.start(4);
            String joined = cluster.server(4).id().value();
            await().atMost(PATIENCE).until(() -> held(cluster, joined) >= 2 * ACTORS * COPIES / 4 / 3);
            await().atMost(PATIENCE).until(() -> settled(cluster));
            long before = answered.get();
            await().atMost(PATIENCE).until(() -> answered.get() > before + 100);
            end.set(true);
            threads.forEach(CompletableFuture::join);

            assertThat(failed).isEmpty();
            assertThat(wrong).isEmpty();
            assertThat(cluster.failures()).isEmpty();
            assertThat(written.get()).isPositive();
        }
    }

    @Test
    void actorsThatAreReadMuchPart() {
        try (LocalCluster cluster = LocalCluster.builder()
                .servers(2)
                .engine(new KvEngine())
                .setting("coordinator.rebalance.period", "1s")
                .start()) {
            cluster.client()
                    .admin()
                    .createTable(
                            TableSpec.named("t").port(KvEngine.NAME).hash(8).replicas(1));
            ClientTable table = cluster.client().table("t");
            String first = cluster.server(1).id().value();
            List<Integer> hot = actors(cluster).stream()
                    .filter(actor -> actor.primary().value().equals(first))
                    .map(ActorState::actor)
                    .toList();
            assertThat(hot).hasSize(4);
            List<CompletableFuture<Void>> threads = hot.stream()
                    .map(actor -> CompletableFuture.runAsync(() -> ask(table, actor)))
                    .toList();
            await("some of the four that are read are elsewhere")
                    .atMost(PATIENCE)
                    .until(() -> actors(cluster).stream()
                            .filter(actor -> hot.contains(actor.actor()))
                            .anyMatch(actor -> actor.isr().size() == 1
                                    && !actor.primary().value().equals(first)));
            end.set(true);
            threads.forEach(CompletableFuture::join);
            assertThat(failed).isEmpty();
        }
    }

    private void ask(ClientTable table, int actor) {
        while (!end.get()) {
            try {
                table.actors(List.of(actor)).retrieve(COUNT, "", parts -> parts.get(0));
            } catch (UniserveException e) {
                failed.add(e.toString());
            }
        }
    }

    private static long held(LocalCluster cluster, String server) {
        return actors(cluster).stream()
                .filter(actor -> actor.isr().stream().anyMatch(id -> id.value().equals(server)))
                .count();
    }

    private static boolean settled(LocalCluster cluster) {
        ClusterStatus status = cluster.client().admin().status();
        return status.rebalance().moves().isEmpty()
                && status.rebalance().state().equals("sees nothing to move");
    }

    private static List<ActorState> actors(LocalCluster cluster) {
        List<TableRoute> tables = cluster.client().admin().status().routing().tables();
        return tables.get(0).map().actors();
    }

    private void read(ClientTable table) {
        for (int i = 0; !end.get(); i = (i + 7) % ROWS) {
            try {
                long count = table.all()
                        .retrieve(
                                COUNT,
                                "",
                                parts -> parts.stream()
                                        .mapToLong(Long::longValue)
                                        .sum());
                if (count != ROWS) {
                    wrong.add("count " + count);
                }
                String key = "k" + i;
                List<Document> row = table.key(key).retrieve(GET, key, parts -> parts.get(0));
                if (row.size() != 1
                        || !Long.valueOf(i).equals(row.get(0).fields().get("n"))) {
                    wrong.add(key + " is " + row);
                }
            } catch (UniserveException e) {
                failed.add(e.toString());
            }
            answered.incrementAndGet();
        }
    }

    private void write(ClientTable table) {
        for (int i = 0; !end.get(); i = (i + 1) % ROWS) {
            try {
                table.updateDocuments("kv.put@1", List.of(Map.of("id", "k" + i, "n", (long) i)))
                        .run()
                        .orThrow();
                written.incrementAndGet();
            } catch (UniserveException e) {
                failed.add("update: " + e);
            }
        }
    }

    private static ClientTable table(LocalCluster cluster) {
        cluster.client()
                .admin()
                .createTable(
                        TableSpec.named("t").port(KvEngine.NAME).hash(ACTORS).replicas(COPIES));
        ClientTable table = cluster.client().table("t");
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(Map.of("id", "k" + i, "n", (long) i));
        }
        table.updateDocuments("kv.put@1", rows).run().orThrow();
        return table;
    }
}
