package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.TableSpec;
import io.uniserve.client.TableUpdate;
import io.uniserve.client.UniserveClient;
import io.uniserve.client.UpdateOutcome;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.port.kv.KvEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Atomic updates and reads at one version, with real daemons and a real ZooKeeper in this JVM. */
@Timeout(120)
class AtomicClusterTest {
    private static final RetrieveCall<String, Long> SUM = new RetrieveCall<>("kv.sum@1", Codecs.STRING, Codecs.LONG);
    private static final RetrieveCall<String, Long> COUNT =
            new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);
    private static final int ACCOUNTS = 40;

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
                .createTable(TableSpec.named("t")
                        .port(KvEngine.NAME)
                        .hash(8)
                        .replicas(2)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Adds the amount to each of these accounts, which are on all actors. */
    private TableUpdate<?> addToAll(long amount) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < ACCOUNTS; i++) {
            rows.add(Map.of("id", "account" + i, "amount", amount));
        }
        return client.table("t").updateDocuments("kv.add@1", rows);
    }

    private long sum() {
        return sum(client);
    }

    private static long sum(UniserveClient reader) {
        return reader.table("t").all().retrieve(SUM, "amount", AtomicClusterTest::total);
    }

    private static long total(List<Long> parts) {
        return parts.stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void everyReadSeesWholeUpdatesAndWhatWasAcknowledged() {
        Queue<Object> wrong = new ConcurrentLinkedQueue<>();
        AtomicBoolean end = new AtomicBoolean();
        AtomicLong acknowledged = new AtomicLong();
        AtomicInteger reads = new AtomicInteger();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        try (UniserveClient other = UniserveClient.builder()
                .bootstrap(cluster.bootstrap().toArray(String[]::new))
                .build()) {
            for (UniserveClient reader : List.of(client, other)) {
                readers.add(CompletableFuture.runAsync(() -> {
                    while (!end.get() && wrong.isEmpty()) {
                        check(reader, acknowledged, wrong);
                        reads.incrementAndGet();
                    }
                }));
            }
            for (int i = 0; i < 60 && wrong.isEmpty(); i++) {
                UpdateOutcome outcome = addToAll(1).run().orThrow();
                assertThat(outcome.acked()).hasSize(8);
                acknowledged.incrementAndGet();
            }
            await().until(() -> reads.get() > 20 || !wrong.isEmpty());
            end.set(true);
            readers.forEach(CompletableFuture::join);
        }
        assertThat(wrong).isEmpty();
        assertThat(sum()).isEqualTo(60L * ACCOUNTS);
    }

    private static void check(UniserveClient reader, AtomicLong acknowledged, Queue<Object> wrong) {
        try {
            long before = acknowledged.get();
            long sum = sum(reader);
            if (sum % ACCOUNTS != 0) {
                wrong.add("torn: " + sum);
            } else if (sum / ACCOUNTS < before) {
                wrong.add(sum / ACCOUNTS + " updates seen, " + before + " acknowledged");
            }
        } catch (RuntimeException e) {
            wrong.add(e);
        }
    }

    @Test
    void anUpdateLargerThanAMessageIsOne() {
        String megabyte = "x".repeat(1 << 20);
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            rows.add(Map.of("id", "large" + i, "text", megabyte));
        }
        RequestId id = new RequestId(4, 5, 6);
        UpdateOutcome outcome = client.table("t")
                .updateDocuments("kv.put@1", rows)
                .requestId(id)
                .run()
                .orThrow();
        assertThat(outcome.acked()).hasSize(8);
        assertThat(client.table("t").all().retrieve(COUNT, "", AtomicClusterTest::total))
                .isEqualTo(30);
        assertThat(client.table("t")
                        .updateDocuments("kv.put@1", rows)
                        .requestId(id)
                        .run()
                        .orThrow()
                        .acked())
                .as("again under its id")
                .extracting(ack -> ack.index())
                .containsOnly(outcome.acked().get(0).index());
        List<Map<String, Object>> ofOneActor = Collections.nCopies(25, rows.get(0));
        assertThatThrownBy(() -> client.table("t")
                        .updateDocuments("kv.put@1", ofOneActor)
                        .run()
                        .orThrow())
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
    }

    @Test
    void aRequestIsAppliedOnceHoweverOftenItIsSent() {
        RequestId id = new RequestId(1, 2, 3);
        long first = addToAll(1).requestId(id).run().orThrow().acked().get(0).index();
        UpdateOutcome again = addToAll(1).requestId(id).run().orThrow();
        assertThat(again.acked()).allSatisfy(ack -> assertThat(ack.index()).isEqualTo(first));
        assertThat(sum()).isEqualTo(ACCOUNTS);

        assertThatThrownBy(() -> addToAll(2).requestId(id).run().orThrow())
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("other content")
                .hasMessageContaining("use a new id");
        assertThat(sum()).isEqualTo(ACCOUNTS);
    }

    @Test
    void rowsThatOneActorRefusesChangeNoActor() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < ACCOUNTS; i++) {
            rows.add(i == 7 ? Map.of("id", "account7") : Map.of("id", "account" + i, "amount", 1L));
        }
        assertThatThrownBy(() -> client.table("t")
                        .updateDocuments("kv.add@1", rows)
                        .run()
                        .orThrow())
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UPDATE_REFUSED))
                .hasMessageContaining("amount");
        assertThat(sum()).isZero();
        assertThat(client.table("t").all().retrieve(COUNT, "", AtomicClusterTest::total))
                .isZero();
    }

    @Test
    void goesOnWhenThePrimaryOfSomeActorsDies() {
        Queue<Object> wrong = new ConcurrentLinkedQueue<>();
        AtomicBoolean end = new AtomicBoolean();
        AtomicLong acknowledged = new AtomicLong();
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            while (!end.get() && wrong.isEmpty()) {
                try {
                    addToAll(1).deadline(Duration.ofSeconds(60)).run().orThrow();
                    acknowledged.incrementAndGet();
                } catch (RuntimeException e) {
                    wrong.add(e);
                }
            }
        });
        CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
            while (!end.get() && wrong.isEmpty()) {
                check(client, acknowledged, wrong);
            }
        });
        await().until(() -> acknowledged.get() > 10 || !wrong.isEmpty());
        int victim = driver();
        cluster.stopAbruptly(victim);
        long mark = acknowledged.get();
        await().atMost(Duration.ofSeconds(60)).until(() -> acknowledged.get() > mark + 20 || !wrong.isEmpty());
        cluster.start(victim);
        long back = acknowledged.get();
        await().atMost(Duration.ofSeconds(60)).until(() -> acknowledged.get() > back + 20 || !wrong.isEmpty());
        end.set(true);
        CompletableFuture.allOf(writer, reader).join();
        assertThat(wrong).isEmpty();
        assertThat(sum()).isEqualTo(acknowledged.get() * ACCOUNTS);
    }

    /** The number of the server with the primary of the first actor, to which clients send their updates. */
    private int driver() {
        TableRoute route = client.routing().tables().get(0);
        ServerId primary = route.map().actors().get(0).primary();
        for (int number = 1; number <= 3; number++) {
            if (cluster.server(number).id().equals(primary)) {
                return number;
            }
        }
        throw new AssertionError("no server " + primary);
    }

    @Test
    void whatTheLevelDoesNotServeIsRefusedByName() {
        assertThatThrownBy(() -> client.table("t").session(Duration.ofSeconds(10)))
                .hasMessageContaining("UNSUPPORTED")
                .hasMessageContaining("sessions");
        assertThatThrownBy(() -> addToAll(1).ack(AckLevel.PRIMARY).run())
                .hasMessageContaining("INVALID_ARGUMENT")
                .hasMessageContaining("EVENTUAL");
        assertThatThrownBy(() -> client.table("t")
                        .all()
                        .retrieve(
                                new RetrieveCall<>("kv.none@1", Codecs.STRING, Codecs.LONG),
                                "",
                                AtomicClusterTest::total))
                .hasMessageContaining("UNKNOWN_OPERATOR");
    }
}
