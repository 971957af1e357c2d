package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.client.UpdateOutcome;
import io.uniserve.codec.Codecs;
import io.uniserve.model.ActorState;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ServerId;
import io.uniserve.port.kv.KvEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server whose engine hangs in every prepare, but is healthy otherwise. It is not killed, and the table continues without it. */
@Timeout(180)
class PrepareHangsTest {
    private static final RetrieveCall<String, Long> SUM = new RetrieveCall<>("kv.sum@1", Codecs.STRING, Codecs.LONG);
    private static final int ACCOUNTS = 40;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HangingEngine engine = new HangingEngine();
    private final LocalCluster cluster = LocalCluster.builder()
            .servers(3)
            .engine(engine)
            .setting("server.stop-grace", "0s")
            .setting("server.engine-timeout", "3s")
            .start();
    private final UniserveClient client = cluster.client();

    @AfterEach
    void close() {
        engine.letGo();
        cluster.close();
    }

    private CompletableFuture<UpdateOutcome> addToAll() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < ACCOUNTS; i++) {
            rows.add(Map.of("id", "account" + i, "amount", 1L));
        }
        return CompletableFuture.supplyAsync(() -> client.table("t")
                .updateDocuments("kv.add@1", rows)
                .deadline(PATIENCE)
                .run()
                .orThrow());
    }

    private long sum() {
        return client.table("t")
                .all()
                .retrieve(
                        SUM,
                        "amount",
                        parts -> parts.stream().mapToLong(Long::longValue).sum());
    }

    private List<ActorState> actors() {
        return client.routing().tables().get(0).map().actors();
    }

    private boolean inSyncAnywhere(ServerId server) {
        return actors().stream().anyMatch(actor -> actor.isr().contains(server));
    }

    private boolean allInSync() {
        return actors().stream().allMatch(actor -> actor.isr().size() == 2);
    }

    @Test
    void updatesGoOnWithoutTheServerThatHangs() {
        client.admin()
                .createTable(TableSpec.named("t")
                        .port(KvEngine.NAME)
                        .hash(8)
                        .replicas(2)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE));
        addToAll().join();
        ServerId hung = cluster.server(2).id();
        assertThat(actors()).as("it leads").anyMatch(actor -> actor.primary().equals(hung));
        assertThat(actors())
                .as("and it follows")
                .anyMatch(
                        actor -> actor.isr().contains(hung) && !actor.primary().equals(hung));
        engine.hang(2);
        CompletableFuture<UpdateOutcome> update = addToAll();
        await().until(() -> engine.hanging() > 0);
        // On a machine that pauses for seconds another server may be the primary by now, and have committed it.
        assertThat(sum()).as("the prepared one is invisible").isIn((long) ACCOUNTS, 2L * ACCOUNTS);
        update.join();
        assertThat(sum()).isEqualTo(2 * ACCOUNTS);
        await().atMost(PATIENCE).until(() -> !inSyncAnywhere(hung));
        addToAll().join();
        assertThat(sum()).isEqualTo(3 * ACCOUNTS);
        await().atMost(PATIENCE).until(this::allInSync);
        assertThat(inSyncAnywhere(hung)).as("the copies are elsewhere").isFalse();
        assertThat(engine.hanging()).as("they hang still").isPositive();
        assertThat(cluster.failures()).isEmpty();
        engine.letGo();
        addToAll().join();
        await().atMost(PATIENCE).until(() -> engine.hanging() == 0 && allInSync());
        assertThat(sum()).as("what came back late did nothing").isEqualTo(4 * ACCOUNTS);
    }
}
