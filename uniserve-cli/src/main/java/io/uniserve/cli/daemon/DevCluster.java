package io.uniserve.cli.daemon;

import io.uniserve.coordinator.CoordinatorDaemon;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.registry.EmbeddedZooKeeper;
import io.uniserve.server.ServerDaemon;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** ZooKeeper, a coordinator and servers in this process, all below one directory. Not thread-safe. */
final class DevCluster implements AutoCloseable {
    /** More threads than this would tell nothing new. */
    static final int SERVERS_MAX = 32;

    private final DaemonOptions options;
    private final Shape shape;
    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    /** What to start: {@code port} is the coordinator's, 0 for any free ones. */
    record Shape(int servers, String ports, Path data, String host, int port) {}

    DevCluster(DaemonOptions options, Shape shape) {
        this.options = options;
        this.shape = shape;
    }

    /** Starts everything; returns the addresses, the coordinator's first. Closes what had started where something fails. */
    List<String> start(Consumer<String> note, Consumer<Throwable> onFailure) throws Exception {
        try {
            return startAll(note, onFailure);
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private List<String> startAll(Consumer<String> note, Consumer<Throwable> onFailure) {
        note.accept("data: " + shape.data().toAbsolutePath().normalize());
        EmbeddedZooKeeper zookeeper = EmbeddedZooKeeper.start(
                new InetSocketAddress("127.0.0.1", 0),
                shape.data().resolve("zookeeper"),
                why -> onFailure.accept(new UniserveException(ErrorCode.IO, why)));
        started.push(zookeeper);
        String connect = "127.0.0.1:" + zookeeper.port();
        note.accept("zookeeper: " + connect);
        CoordinatorDaemon coordinator = CoordinatorDaemon.start(
                settings(
                        connect,
                        new Overrides().with("coordinator.host", shape.host()).with("coordinator.port", shape.port())),
                onFailure);
        started.push(coordinator);
        note.accept("coordinator: " + coordinator.address());
        List<String> addresses = new ArrayList<>(List.of(coordinator.address().toString()));
        for (int i = 1; i <= shape.servers(); i++) {
            ServerDaemon server = ServerDaemon.start(settings(connect, server(i)), onFailure);
            started.push(server);
            note.accept("server: " + server.address());
            addresses.add(server.address().toString());
        }
        return addresses;
    }

    private Overrides server(int number) {
        return new Overrides()
                .with("server.host", shape.host())
                .with("server.port", shape.port() == 0 ? 0 : shape.port() + number)
                .with("server.data-dir", shape.data().resolve("server-" + number))
                .with("storage.directory", shape.data().resolve("store"))
                .with("server.ports", shape.ports());
    }

    private Settings settings(String zookeeper, Overrides overrides) {
        return options.load(overrides
                .with("cluster", "dev")
                .with("zookeeper.connect", zookeeper)
                .values());
    }

    /** Stops servers first, ZooKeeper last. */
    @Override
    public void close() throws Exception {
        while (!started.isEmpty()) {
            started.pop().close();
        }
    }
}
