package io.uniserve.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.runtime.registry.EmbeddedZooKeeper;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Results for clients while a server or ZooKeeper fails. */
class ServerFaultTest {
    @TempDir
    Path directory;

    private TestCluster cluster;

    @BeforeEach
    void open() {
        cluster = new TestCluster(directory);
    }

    @AfterEach
    void close() {
        cluster.close();
        assertThat(cluster.fatal.get()).isNull();
    }

    @Test
    void noQueryFailsWhenAServerGoes() {
        cluster.server("a");
        cluster.server("b");
        cluster.server("c");
        cluster.createTable(8, 2, 3);
        cluster.put(0, 300);
        Address asked = cluster.address("a");
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger answers = new AtomicInteger();
        List<String> wrong = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Void>> clients = List.of(
                CompletableFuture.runAsync(() -> load(asked, stop, answers, wrong)),
                CompletableFuture.runAsync(() -> load(asked, stop, answers, wrong)));
        await().until(() -> answers.get() > 100);
        cluster.stop("b");
        int before = answers.get();
        await().atMost(30, TimeUnit.SECONDS).until(() -> cluster.liveServers() == 2 && answers.get() > before + 200);
        stop.set(true);
        clients.forEach(CompletableFuture::join);
        assertThat(wrong).isEmpty();
    }

    private void load(Address server, AtomicBoolean stop, AtomicInteger answers, List<String> wrong) {
        while (!stop.get()) {
            try {
                String answer = cluster.query(server, "count").body().utf8();
                if (!answer.equals("{\"count\":300}")) {
                    wrong.add(answer);
                }
            } catch (UniserveException e) {
                wrong.add(e.getMessage());
            }
            answers.incrementAndGet();
        }
    }

    @Test
    void servesAgainWhenZooKeeperComesBack() {
        cluster.server("a");
        cluster.server("b");
        cluster.createTable(4, 2, 2);
        cluster.put(0, 100);
        Address asked = cluster.address("a");
        int port = cluster.zookeeper.port();
        cluster.zookeeper.close();
        // Without ZooKeeper leases expire; after that no read is answered, as its state might be old.
        await().atMost(30, TimeUnit.SECONDS).until(() -> refused(asked));
        try (EmbeddedZooKeeper again = EmbeddedZooKeeper.start(
                new InetSocketAddress("127.0.0.1", port),
                directory.resolve("zk"),
                message -> cluster.fatal.set(new AssertionError(message)))) {
            assertThat(again.port()).isEqualTo(port);
            await().atMost(60, TimeUnit.SECONDS)
                    .ignoreExceptionsInstanceOf(UniserveException.class)
                    .untilAsserted(() -> assertThat(
                                    cluster.query(asked, "count").body().utf8())
                            .isEqualTo("{\"count\":100}"));
            cluster.put(100, 150);
            assertThat(cluster.query(asked, "count").body().utf8()).isEqualTo("{\"count\":150}");
            cluster.close();
        }
    }

    private boolean refused(Address server) {
        try {
            return cluster.query(server, "count", 500_000_000L).body().utf8().isEmpty();
        } catch (UniserveException e) {
            return true;
        }
    }
}
