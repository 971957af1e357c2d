package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.codec.Codecs;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.message.client.ReadMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of ZooKeeper per read of a fully serializable table, from the servers' metrics. */
@Timeout(180)
class RegistryCallsTest {
    private static final RetrieveCall<String, Long> SUM = new RetrieveCall<>("kv.sum@1", Codecs.STRING, Codecs.LONG);
    private static final int SERVERS = 3;
    private static final int QUERIES = 1_000;
    private static final int STRETCH = 50;

    private final LocalCluster cluster = LocalCluster.builder()
            .servers(SERVERS)
            .engine(new KvEngine())
            .setting("server.stop-grace", "0s")
            .setting("server.lease", "50s")
            .start();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void queriesOfAllActorsTakeNoneAndStrictOnesAFew() {
        cluster.client()
                .admin()
                .createTable(TableSpec.named("t")
                        .port(KvEngine.NAME)
                        .hash(8)
                        .replicas(2)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE));
        ClientTable table = cluster.client().table("t");
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            rows.add(Map.of("id", "account" + i, "amount", 1L));
        }
        table.updateDocuments("kv.add@1", rows).run().orThrow();
        AtomicInteger quiet = new AtomicInteger();
        // Leases are renewed now and then, independent of reads; only the time between renewals counts.
        await().pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(120))
                .until(() -> {
                    double before = calls();
                    for (int i = 0; i < STRETCH; i++) {
                        assertThat(sum(table, ReadMode.LINEARIZABLE)).isEqualTo(rows.size());
                    }
                    return calls() == before && quiet.addAndGet(STRETCH) >= QUERIES;
                });
        double before = calls();
        assertThat(sum(table, ReadMode.STRICT)).isEqualTo(rows.size());
        assertThat(calls()).as("a log, a map and a confirmation").isGreaterThanOrEqualTo(before + 3);
    }

    /** Managers push the log to other servers, which neither read nor watch it. After a pause of the machine each may read it once. */
    @Test
    void anUpdateThatFollowsAnotherIsOneWriteThatNobodyReads() {
        int updates = 100;
        cluster.client()
                .admin()
                .createTable(TableSpec.named("u")
                        .port(KvEngine.NAME)
                        .hash(8)
                        .replicas(2)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE));
        ClientTable table = cluster.client().table("u");
        for (int i = 0; i < updates / 5; i++) {
            add(table, i);
        }
        double reads = calls("read") + calls("watch") + calls("sync");
        double writes = calls("write");
        for (int i = 0; i < updates; i++) {
            add(table, i);
        }
        assertThat(calls("write") - writes).isBetween(1.0 * updates, 1.5 * updates);
        assertThat(calls("read") + calls("watch") + calls("sync") - reads).isLessThan(updates / 2.0);
    }

    private static void add(ClientTable table, int number) {
        table.updateDocuments("kv.add@1", List.of(Map.of("id", "account" + number % 8, "amount", 1L)))
                .run()
                .orThrow();
    }

    private static long sum(ClientTable table, ReadMode mode) {
        return table.all()
                .mode(mode)
                .retrieve(
                        SUM,
                        "amount",
                        parts -> parts.stream().mapToLong(Long::longValue).sum());
    }

    private double calls() {
        return calls("");
    }

    /** Number of calls of this kind; of all if it is empty. */
    private double calls(String kind) {
        double calls = 0;
        for (int server = 1; server <= SERVERS; server++) {
            calls += cluster.server(server)
                    .scrape()
                    .lines()
                    .filter(line -> line.startsWith("uniserve_registry_calls_total")
                            && (kind.isEmpty() || line.contains("kind=\"" + kind + "\"")))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        }
        return calls;
    }
}
