package io.uniserve.testkit.cluster;

import io.uniserve.client.UniserveClient;
import io.uniserve.coordinator.CoordinatorDaemon;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.ZooKeeperSettings.Embedded;
import io.uniserve.runtime.registry.EmbeddedZooKeeper;
import io.uniserve.runtime.transport.ListenerSecurity;
import io.uniserve.server.ServerDaemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cluster in this JVM: ZooKeeper, a coordinator and servers. The daemons are the real ones, connected over real sockets, with their files
 * below one directory. Servers have the numbers 1, 2, ... and keep number and data across restarts. Thread-safe; starts and stops of
 * servers are serialized.
 */
public final class LocalCluster implements AutoCloseable {
    /** Upper limit of servers in one JVM. More servers only add threads, not coverage. */
    public static final int SERVERS_MAX = 32;

    private static final Logger LOG = LoggerFactory.getLogger(LocalCluster.class);
    private static final String CLUSTER = "dev";
    private static final Duration KNOWN_TIMEOUT = Duration.ofMinutes(1);

    private final LocalClusterBuilder options;
    private final Path directory;
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final NavigableMap<Integer, ServerDaemon> servers = new TreeMap<>();
    private @Nullable EmbeddedZooKeeper zookeeper;
    private @Nullable CoordinatorDaemon coordinator;
    private @Nullable UniserveClient client;
    private boolean closed;

    LocalCluster(LocalClusterBuilder options) {
        this.options = options;
        this.directory = options.directory().orElseGet(LocalCluster::temporary);
    }

    /** New builder with the defaults. */
    public static LocalClusterBuilder builder() {
        return new LocalClusterBuilder();
    }

    synchronized void startAll() {
        // An error leaves the directory untouched.
        ListenerSecurity.checkFiles(
                options.load(Map.of("uniserve.coordinator.host", options.host())), ListenerKind.COORDINATOR);
        options.reportProgress("data: " + directory.toAbsolutePath().normalize());
        Embedded embedded = options.load(Map.of()).zookeeper().embedded();
        zookeeper = EmbeddedZooKeeper.start(
                new Embedded("127.0.0.1", 0, directory.resolve("zookeeper"), embedded.tick(), embedded.tls()),
                why -> failed(new UniserveException(ErrorCode.IO, why)));
        options.reportProgress("zookeeper: " + zooKeeper());
        Map<String, String> values = commonSettings();
        values.put("uniserve.coordinator.host", options.host());
        values.put("uniserve.coordinator.port", String.valueOf(options.port(0)));
        coordinator = CoordinatorDaemon.start(options.load(values), this::failed);
        options.reportProgress("coordinator: " + coordinator.address());
        for (int number = 1; number <= options.servers(); number++) {
            start(number);
            options.reportProgress("server: " + server(number).address());
        }
    }

    private Map<String, String> commonSettings() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("uniserve.cluster", CLUSTER);
        values.put("uniserve.zookeeper.connect", zooKeeper());
        return values;
    }

    /**
     * Starts the server with this number, new or with its earlier data. Returns when the coordinator lists it.
     *
     * @throws UniserveException INVALID_ARGUMENT if it runs already
     */
    public synchronized void start(int number) {
        if (number < 1 || number > SERVERS_MAX || servers.containsKey(number)) {
            throw UniserveException.invalid(
                    "server " + number + " runs already or is not one of 1 to " + SERVERS_MAX + ": use another number");
        }
        Map<String, String> values = commonSettings();
        values.put("uniserve.server.host", options.host());
        values.put("uniserve.server.port", String.valueOf(options.port(number)));
        values.put(
                "uniserve.server.data-dir",
                directory.resolve("server-" + number).toString());
        values.put("uniserve.server.new-data-dir", "true");
        values.put("uniserve.storage.location", directory.resolve("store").toString());
        servers.put(
                number,
                options.ports().isEmpty()
                        ? ServerDaemon.start(options.load(values), this::failed)
                        : ServerDaemon.start(options.load(values), options.ports(), this::failed));
        awaitListed(server(number).address());
    }

    /** Waits until the coordinator lists the server. Before that it would reject a table for lack of servers. */
    private void awaitListed(Address server) {
        CountDownLatch known = new CountDownLatch(1);
        Timers.Cancel watch = requireRunning(coordinator).routing().watch(routing -> {
            if (routing.servers().stream().anyMatch(one -> one.address().equals(server))) {
                known.countDown();
            }
        });
        try {
            if (!known.await(KNOWN_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new UniserveException(
                        ErrorCode.UNAVAILABLE,
                        "the coordinator does not list server " + server + " after " + KNOWN_TIMEOUT.toSeconds()
                                + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted while server " + server + " started", e);
        } finally {
            watch.cancel();
        }
    }

    /** Stops a server gracefully: its replicas move away first, for at most {@code server.drain-timeout}. */
    public void stop(int number) {
        removeServer(number).drainAndClose();
    }

    /**
     * Stops a server without moving its replicas. The others detect the failure. Requests under way may still end within
     * {@code server.stop-grace}, files are closed, and the ZooKeeper session ends at once. This is milder than the death of a process,
     * which one JVM cannot simulate.
     */
    public void stopAbruptly(int number) {
        removeServer(number).close();
    }

    private synchronized ServerDaemon removeServer(int number) {
        ServerDaemon server = server(number);
        servers.remove(number);
        return server;
    }

    /**
     * The running server with this number.
     *
     * @throws UniserveException INVALID_ARGUMENT if it does not run
     */
    public synchronized ServerDaemon server(int number) {
        ServerDaemon server = servers.get(number);
        if (server == null) {
            throw UniserveException.invalid("server " + number + " does not run; " + servers.keySet() + " do");
        }
        return server;
    }

    /** The coordinator's address. */
    public synchronized Address coordinator() {
        return requireRunning(coordinator).address();
    }

    /** ZooKeeper's address, {@code HOST:PORT}. */
    public synchronized String zooKeeper() {
        return "127.0.0.1:" + requireRunning(zookeeper).port();
    }

    /** Addresses for clients, {@code HOST:PORT} each: first the coordinator's, then those of the running servers. */
    public synchronized List<String> bootstrap() {
        List<String> addresses = new ArrayList<>(List.of(coordinator().toString()));
        servers.values().forEach(server -> addresses.add(server.address().toString()));
        return addresses;
    }

    /** The cluster's client. It is always the same one, and the cluster closes it. */
    public synchronized UniserveClient client() {
        requireRunning(coordinator);
        UniserveClient connected = client;
        if (connected == null) {
            connected = UniserveClient.builder()
                    .bootstrap(bootstrap().toArray(String[]::new))
                    .build();
            client = connected;
        }
        return connected;
    }

    /** Fatal errors of daemons; empty in a healthy cluster. */
    public List<Throwable> failures() {
        return List.copyOf(failures);
    }

    /** Stops the coordinator, then the servers without moving their replicas, and ZooKeeper last. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (client != null) {
            client.close();
            client = null;
        }
        // The coordinator stops first. Otherwise it would start a fail-over for each stopped server.
        if (coordinator != null) {
            coordinator.close();
            coordinator = null;
        }
        servers.descendingMap().values().forEach(ServerDaemon::close);
        servers.clear();
        if (zookeeper != null) {
            zookeeper.close();
            zookeeper = null;
        }
        if (options.directory().isEmpty()) {
            delete(directory);
        }
    }

    private void failed(Throwable error) {
        failures.add(error);
        options.reportFailure(error);
    }

    private static <T> T requireRunning(@Nullable T daemon) {
        if (daemon == null) {
            throw new UniserveException(ErrorCode.CANCELLED, "the cluster is closed: start another one");
        }
        return daemon;
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("uniserve-");
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot create a temporary directory: " + e.getMessage(), e);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.warn("could not delete {}", directory, e);
        }
    }
}
