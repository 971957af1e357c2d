package io.uniserve.runtime.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.SessionEvent;
import io.uniserve.runtime.async.Loop;
import io.uniserve.runtime.async.Waiter;
import io.uniserve.runtime.registry.access.ZooKeeperSecurity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedZooKeeperTest {
    @TempDir
    Path data;

    private static EmbeddedZooKeeper start(int port, Path directory) {
        return EmbeddedZooKeeper.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), directory, failure -> {});
    }

    @Test
    void aRestartKeepsDataAndSessions() {
        List<SessionEvent> events = new CopyOnWriteArrayList<>();
        try (Loop loop = new Loop()) {
            EmbeddedZooKeeper first = start(0, data);
            RegistryOptions options =
                    new RegistryOptions("127.0.0.1:" + first.port(), "c", 9_000, 20_000, ZooKeeperSecurity.NONE);
            try (CuratorRegistry registry = new CuratorRegistry(options, loop)) {
                registry.onSession(events::add);
                RegistryContract.multi(registry, new Op.Create("/a", RegistryContract.term("x"), true));
                int port = first.port();
                first.close();
                first.close();
                await().until(() -> events.contains(SessionEvent.SUSPENDED));
                try (EmbeddedZooKeeper second = start(port, data)) {
                    assertThat(RegistryContract.read(registry, "/a").version()).isZero();
                    assertThat(second.port()).isEqualTo(port);
                    assertThat(events).doesNotContain(SessionEvent.EXPIRED);
                    registry.close();
                }
            }
        }
    }

    /** ZooKeeper rejects a client that has seen a transaction which the server does not have. */
    @Test
    void aNewConnectionSeesAnEmptiedServerThatTakesTheSessionBackNoMore(@TempDir Path emptied) {
        List<SessionEvent> events = new CopyOnWriteArrayList<>();
        try (Loop loop = new Loop()) {
            EmbeddedZooKeeper first = start(0, data);
            int port = first.port();
            RegistryOptions options =
                    new RegistryOptions("127.0.0.1:" + port, "c", 9_000, 1_000, ZooKeeperSecurity.NONE);
            try (CuratorRegistry registry = new CuratorRegistry(options, loop)) {
                registry.onSession(events::add);
                await().until(() -> events.contains(SessionEvent.CONNECTED));
                for (String child : List.of("b", "a")) {
                    RegistryContract.multi(
                            registry, new Op.Create("/identity/" + child, RegistryContract.term("x"), false));
                }
                assertThat(anew(registry)).isEqualTo(Outcome.ok(List.of("a", "b")));
                first.close();
                await().until(() -> events.contains(SessionEvent.SUSPENDED));
                assertThat(anew(registry))
                        .isInstanceOfSatisfying(
                                Outcome.Err.class,
                                away -> assertThat(away.error().code()).isEqualTo(ErrorCode.UNAVAILABLE));
                try (EmbeddedZooKeeper second = start(port, emptied)) {
                    assertThat(second.port()).isEqualTo(port);
                    await().untilAsserted(() -> assertThat(anew(registry)).isEqualTo(Outcome.ok(List.of())));
                    assertThat(events).containsExactly(SessionEvent.CONNECTED, SessionEvent.SUSPENDED);
                    Waiter<List<String>> old = new Waiter<>();
                    registry.children("/identity", old);
                    assertThat(old.await()).as("the session itself").isInstanceOf(Outcome.Err.class);
                }
            }
        }
    }

    private static Outcome<List<String>> anew(CuratorRegistry registry) {
        Waiter<List<String>> waiter = new Waiter<>();
        registry.childrenOverNewConnection("/identity", waiter);
        return waiter.await();
    }

    @Test
    void aTakenPortIsToldByNumber() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> start(taken.getLocalPort(), data))
                    .isInstanceOf(UniserveException.class)
                    .hasMessageContaining(String.valueOf(taken.getLocalPort()))
                    .extracting(e -> ((UniserveException) e).code())
                    .isEqualTo(ErrorCode.INVALID_CONFIGURATION);
        }
        start(0, data).close();
    }

    @Test
    void aDirectoryInUseOrNoDirectoryIsRefused() throws IOException {
        try (EmbeddedZooKeeper running = start(0, data)) {
            assertThat(running.port()).isPositive();
            assertThatThrownBy(() -> start(0, data))
                    .isInstanceOf(UniserveException.class)
                    .hasMessageContaining("in use");
        }
        Path file = Files.writeString(data.resolve("file"), "x");
        assertThatThrownBy(() -> start(0, file))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("no directory");
    }
}
