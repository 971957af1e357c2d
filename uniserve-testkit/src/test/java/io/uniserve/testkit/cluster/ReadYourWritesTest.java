package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.model.ServerId;
import io.uniserve.port.kv.KvEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client reads its acknowledged writes at once, from any replica, while servers stop and start. */
@Timeout(120)
class ReadYourWritesTest {
    private static final RetrieveCall<String, Long> COUNT =
            new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);

    private final LocalCluster cluster = LocalCluster.builder()
            .servers(3)
            .engine(new KvEngine())
            .setting("server.stop-grace", "0s")
            .setting("zookeeper.session-timeout", "2s")
            .start();
    private final UniserveClient client = cluster.client();

    @BeforeEach
    void table() {
        client.admin()
                .createTable(TableSpec.named("t").port(KvEngine.NAME).hash(8).replicas(2));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void everyReadSeesAllRowsAcknowledgedBefore() {
        for (int i = 0; i < 60; i++) {
            put(i, i + 1);
            assertThat(count()).isEqualTo(i + 1);
        }
    }

    @Test
    void alsoWhileAServerStopsAndComesBack() {
        Queue<Object> wrong = new ConcurrentLinkedQueue<>();
        AtomicBoolean end = new AtomicBoolean();
        AtomicInteger rounds = new AtomicInteger();
        CompletableFuture<Void> load = CompletableFuture.runAsync(() -> {
            while (!end.get() && wrong.isEmpty()) {
                try {
                    int next = rounds.get() * 10;
                    put(next, next + 10);
                    long count = count();
                    if (count != next + 10) {
                        wrong.add(count + " counted, " + (next + 10) + " acknowledged");
                    }
                    rounds.incrementAndGet();
                } catch (RuntimeException e) {
                    wrong.add(e);
                }
            }
        });
        await().until(() -> rounds.get() > 20 || !wrong.isEmpty());
        ServerId stopped = cluster.server(2).id();
        cluster.stopAbruptly(2);
        int mark = rounds.get();
        await().atMost(Duration.ofSeconds(40))
                .until(() -> rounds.get() > mark + 50 && !live(stopped) || !wrong.isEmpty());
        cluster.start(2);
        int back = rounds.get();
        await().atMost(Duration.ofSeconds(40))
                .until(() -> rounds.get() > back + 50 && live(stopped) || !wrong.isEmpty());
        end.set(true);
        load.join();
        assertThat(wrong).isEmpty();
        assertThat(count()).isEqualTo(rounds.get() * 10L);
    }

    private boolean live(ServerId server) {
        return client.routing().servers().stream()
                .anyMatch(record -> record.id().equals(server));
    }

    private void put(int from, int to) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = from; i < to; i++) {
            rows.add(Map.of("id", "k" + i, "n", (long) i));
        }
        client.table("t").updateDocuments("kv.put@1", rows).run().orThrow();
    }

    private long count() {
        return client.table("t")
                .all()
                .retrieve(
                        COUNT,
                        "",
                        parts -> parts.stream().mapToLong(Long::longValue).sum());
    }
}
