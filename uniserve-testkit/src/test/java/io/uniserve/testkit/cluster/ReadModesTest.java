package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.SnapshotQuery;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.message.client.ReadMode;
import java.time.Duration;
import java.util.List;
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

/** The modes of reads of atomic and eventual tables, with real daemons and a real ZooKeeper. */
@Timeout(120)
class ReadModesTest {
    private static final RetrieveCall<String, Long> SUM = new RetrieveCall<>("kv.sum@1", Codecs.STRING, Codecs.LONG);
    private static final int ACCOUNTS = Accounts.COUNT;

    private final LocalCluster cluster = LocalCluster.builder()
            .servers(3)
            .engine(new KvEngine())
            .setting("server.stop-grace", "0s")
            .start();
    private final UniserveClient client = cluster.client();

    @BeforeEach
    void tables() {
        Accounts.table(client, "a", ConsistencyLevel.FULLY_SERIALIZABLE);
        Accounts.table(client, "b", ConsistencyLevel.SERIALIZABLE);
        Accounts.table(client, "loose", ConsistencyLevel.EVENTUAL);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void addToAll(String table) {
        Accounts.addToAll(client, table);
    }

    private long sum(String table, ReadMode mode) {
        return client.table(table).all().mode(mode).retrieve(SUM, "amount", ReadModesTest::total);
    }

    private String text(String table, ReadMode mode) {
        return client.table(table).all().mode(mode).query("sum amount").body().utf8();
    }

    private static long total(List<Long> parts) {
        return parts.stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void everyModeAnswers() {
        for (int i = 1; i <= 5; i++) {
            addToAll("a");
            assertThat(sum("a", ReadMode.STRICT)).isEqualTo((long) i * ACCOUNTS);
            assertThat(text("a", ReadMode.STRICT)).isEqualTo("{\"sum\":" + i * ACCOUNTS + "}");
        }
        addToAll("b");
        addToAll("loose");
        assertThat(sum("b", ReadMode.STRICT)).isEqualTo(ACCOUNTS);
        for (String table : List.of("a", "b", "loose")) {
            long newest = sum(table, ReadMode.LINEARIZABLE);
            await().until(() -> sum(table, ReadMode.STALE) == newest);
            await().until(() -> text(table, ReadMode.STALE).equals("{\"sum\":" + newest + "}"));
        }
        for (ReadMode mode : ReadMode.values()) {
            assertThat(client.table("a").actors(List.of()).mode(mode).retrieve(SUM, "amount", ReadModesTest::total))
                    .as("of no actors")
                    .isZero();
        }
    }

    @Test
    void whatIsNotServedIsRefusedByName() {
        addToAll("loose");
        assertThatThrownBy(() -> sum("loose", ReadMode.STRICT))
                .hasMessageContaining("UNSUPPORTED")
                .hasMessageContaining("STRICT")
                .hasMessageContaining("table loose")
                .hasMessageContaining("EVENTUAL")
                .hasMessageContaining("use the default mode");
        assertThatThrownBy(() -> text("loose", ReadMode.STRICT))
                .hasMessageContaining("UNSUPPORTED")
                .hasMessageContaining("table loose");
        SnapshotQuery mixed = client.snapshotQuery();
        mixed.add(client.table("a").all(), SUM, "amount", ReadModesTest::total);
        mixed.add(client.table("loose").all(), SUM, "amount", ReadModesTest::total);
        assertThatThrownBy(mixed::run).hasMessageContaining("UNSUPPORTED").hasMessageContaining("table loose");
        assertThatThrownBy(mixed::run).hasMessageContaining("INVALID_ARGUMENT").hasMessageContaining("another one");
        assertThatThrownBy(() -> client.snapshotQuery().run()).hasMessageContaining("no reads");
        SnapshotQuery absent = client.snapshotQuery();
        absent.add(client.table("none").all(), SUM, "amount", ReadModesTest::total);
        assertThatThrownBy(absent::run).hasMessageContaining("TABLE_NOT_FOUND");
        SnapshotQuery wrong = client.snapshotQuery().deadline(Duration.ofSeconds(20));
        SnapshotQuery.Result<Long> part = wrong.add(
                client.table("a").all(),
                new RetrieveCall<>("kv.none@1", Codecs.STRING, Codecs.LONG),
                "",
                ReadModesTest::total);
        assertThatThrownBy(wrong::run).hasMessageContaining("UNKNOWN_OPERATOR");
        assertThatThrownBy(part::value).hasMessageContaining("has not run");
    }

    /** Updates add one in table a, then one in table b. No query may see b ahead of a, or a part of an update. */
    @Test
    void aCutIsOfOneMoment() {
        Queue<Object> wrong = new ConcurrentLinkedQueue<>();
        AtomicBoolean end = new AtomicBoolean();
        AtomicLong acknowledged = new AtomicLong();
        AtomicInteger cuts = new AtomicInteger();
        CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
            while (!end.get() && wrong.isEmpty()) {
                long before = acknowledged.get();
                try {
                    SnapshotQuery cut = client.snapshotQuery();
                    SnapshotQuery.Result<Long> b =
                            cut.add(client.table("b").all(), SUM, "amount", ReadModesTest::total);
                    SnapshotQuery.Result<Long> a =
                            cut.add(client.table("a").all(), SUM, "amount", ReadModesTest::total);
                    SnapshotQuery.Result<Long> some =
                            cut.add(client.table("a").key("account0"), SUM, "amount", ReadModesTest::total);
                    cut.run();
                    boolean whole = a.value() % ACCOUNTS == 0 && b.value() % ACCOUNTS == 0;
                    long ahead = (a.value() - b.value()) / ACCOUNTS;
                    boolean known = b.value() / ACCOUNTS >= before && some.version() == a.version();
                    if (!whole || !known || ahead < 0 || ahead > 1) {
                        wrong.add("a " + a.value() + " b " + b.value() + " acknowledged " + before);
                    }
                    cuts.incrementAndGet();
                } catch (RuntimeException e) {
                    wrong.add(e);
                }
            }
        });
        for (int i = 0; i < 40 && wrong.isEmpty(); i++) {
            addToAll("a");
            addToAll("b");
            acknowledged.incrementAndGet();
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> cuts.get() > 10 || !wrong.isEmpty());
        end.set(true);
        reader.join();
        assertThat(wrong).isEmpty();
    }
}
