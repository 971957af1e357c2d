package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminReply.CopyStatus;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
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

/** One actor gets all queries: it gets copies on other servers, their load becomes even, and no update is lost. */
@Timeout(900)
class HotActorClusterTest {
    private static final RetrieveCall<String, Long> COUNT =
            new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int SERVERS = 3;
    private static final int ACTORS = 6;
    private static final int ROWS = 600;
    private static final int READERS = 2;

    private final AtomicBoolean end = new AtomicBoolean();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final List<String> failed = new CopyOnWriteArrayList<>();

    @Test
    void itGetsCopiesAndTheirLoadBecomesEven() {
        try (LocalCluster cluster = LocalCluster.builder()
                .servers(SERVERS)
                .engine(new KvEngine())
                .setting("coordinator.rebalance.period", "1s")
                .setting("coordinator.rebalance.copies-max", "3")
                .setting("coordinator.rebalance.copies-load-min", "1%")
                .setting("coordinator.rebalance.copies-cool-down", "5s")
                .start()) {
            cluster.client()
                    .admin()
                    .createTable(TableSpec.named("t")
                            .port(KvEngine.NAME)
                            .hash(ACTORS)
                            .replicas(1));
            ClientTable table = cluster.client().table("t");
            table.updateDocuments("kv.put@1", rows()).run().orThrow();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            IntStream.range(0, READERS).forEach(i -> threads.add(CompletableFuture.runAsync(() -> read(table))));
            threads.add(CompletableFuture.runAsync(() -> write(table)));

            await("copies").atMost(PATIENCE).until(() -> hot(cluster).isr().size() == SERVERS);
            await("even load of the three replicas").atMost(PATIENCE).until(() -> isEven(cluster));
            CopyStatus told = status(cluster).rebalance().copies().stream()
                    .filter(copy -> copy.actor() == 0)
                    .findFirst()
                    .orElseThrow();
            assertThat(told.automatic()).isEqualTo(SERVERS);
            assertThat(told.requested()).isEqualTo(1);
            assertThat(told.reason()).isNotEmpty();

            end.set(true);
            threads.forEach(CompletableFuture::join);
            await("cold copies go")
                    .atMost(PATIENCE)
                    .until(() -> hot(cluster).isr().size() == 1);
            assertThat(failed).isEmpty();
            assertThat(answered.get()).isPositive();
            assertThat(written.get()).isPositive();
            assertThat(count(table)).isEqualTo(ROWS);
            assertThat(cluster.failures()).isEmpty();
        }
    }

    /** True if each replica of the hot actor answers a fifth to a half of its queries. */
    private static boolean isEven(LocalCluster cluster) {
        ClusterStatus status = status(cluster);
        long tableId = status.routing().tables().get(0).map().tableId();
        List<Double> rates = status.loads().stream()
                .flatMap(load -> load.replicas().stream())
                .filter(replica -> replica.key().equals(new ReplicaKey(tableId, 0)))
                .map(ReplicaLoad::queriesPerSecond)
                .toList();
        double sum = rates.stream().mapToDouble(Double::doubleValue).sum();
        return rates.size() == SERVERS && rates.stream().allMatch(rate -> rate > 0.2 * sum && rate < 0.5 * sum);
    }

    private static ClusterStatus status(LocalCluster cluster) {
        return cluster.client().admin().status();
    }

    private static ActorState hot(LocalCluster cluster) {
        return status(cluster).routing().tables().get(0).map().actors().get(0);
    }

    private static List<Map<String, Object>> rows() {
        return IntStream.range(0, ROWS)
                .<Map<String, Object>>mapToObj(i -> Map.of("id", "k" + i, "n", (long) i))
                .toList();
    }

    private static long count(ClientTable table) {
        return table.all()
                .retrieve(
                        COUNT,
                        "",
                        parts -> parts.stream().mapToLong(Long::longValue).sum());
    }

    private void read(ClientTable table) {
        while (!end.get()) {
            try {
                table.actors(List.of(0)).retrieve(COUNT, "", parts -> parts.get(0));
                answered.incrementAndGet();
            } catch (UniserveException e) {
                failed.add(e.toString());
            }
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
}
