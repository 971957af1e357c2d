package io.uniserve.testkit.process;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Cluster of real processes on this machine: ZooKeeper, coordinators, servers. The system chooses the ports. Coordinators and servers listen
 * on 127.0.0.1; the settings {@code coordinator.host} and {@code server.host} override it. All data is in one directory. Not thread-safe.
 */
public final class ProcessCluster implements AutoCloseable {
    private static final long START_TIMEOUT_MS = 120_000;
    private static final String HOST = "127.0.0.1";

    private final ProcessClusterOptions options;
    private final Map<String, DaemonProcess> daemons = new TreeMap<>();
    private final Map<String, Address> addresses = new TreeMap<>();

    public ProcessCluster(ProcessClusterOptions options) {
        this.options = options;
    }

    /** Starts ZooKeeper, one coordinator and the servers {@code server-1} to {@code server-N}; waits until all serve. */
    public void start() {
        startZooKeeper();
        startCoordinator("coordinator-1");
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= options.servers(); i++) {
            names.add("server-" + i);
            launchServer("server-" + i);
        }
        names.forEach(this::await);
    }

    /** Starts or restarts ZooKeeper with its old port and data. */
    public void startZooKeeper() {
        int port = addresses.containsKey("zookeeper") ? address("zookeeper").port() : 0;
        launch("zookeeper", List.of("zookeeper", "--port", Integer.toString(port), "--data", directory("zookeeper")));
        await("zookeeper");
    }

    public void startCoordinator(String name) {
        launchCoordinator(name, Map.of());
        await(name);
    }

    /** Starts a coordinator without waiting. Its settings override those of the cluster. */
    public DaemonProcess launchCoordinator(String name, Map<String, String> settings) {
        List<String> arguments = new ArrayList<>(List.of("coordinator", "--host", HOST, "--port", port(name)));
        arguments.addAll(common());
        settings.forEach((key, value) -> arguments.addAll(List.of("-S", key + "=" + value)));
        launch(name, arguments);
        return daemon(name);
    }

    /** Starts or restarts a server with its data and waits until it serves. */
    public void startServer(String name) {
        launchServer(name);
        await(name);
    }

    /** Starts a server without waiting. */
    public void launchServer(String name) {
        launchServer(name, Map.of());
    }

    /** Starts a server without waiting. Its settings override those of the cluster. */
    public void launchServer(String name, Map<String, String> settings) {
        List<String> arguments = new ArrayList<>(List.of(
                "server",
                "--new",
                "--host",
                HOST,
                "--port",
                port(name),
                "--data",
                directory(name),
                "--store",
                directory("store"),
                "--engines",
                options.port()));
        arguments.addAll(common());
        settings.forEach((key, value) -> arguments.addAll(List.of("-S", key + "=" + value)));
        launch(name, arguments);
    }

    /** Returns the daemon with this name. */
    public DaemonProcess daemon(String name) {
        DaemonProcess daemon = daemons.get(name);
        if (daemon == null) {
            throw UniserveException.invalid("no daemon " + name + "; daemons are " + daemons.keySet());
        }
        return daemon;
    }

    /** Returns the address of a daemon. */
    public Address address(String name) {
        return Optional.ofNullable(addresses.get(name))
                .orElseThrow(() -> UniserveException.invalid("daemon " + name + " has not been ready yet"));
    }

    /** Returns the addresses of all servers, for clients. */
    public List<String> bootstrap() {
        return addresses.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("server-"))
                .map(entry -> entry.getValue().toString())
                .toList();
    }

    public Map<String, DaemonProcess> daemons() {
        return Map.copyOf(daemons);
    }

    /** Returns the log files of all servers. */
    public List<Path> serverLogs() {
        return daemons.keySet().stream()
                .filter(name -> name.startsWith("server-"))
                .map(this::log)
                .toList();
    }

    private Path log(String name) {
        return options.directory().resolve("logs").resolve(name + ".log");
    }

    public Path directory() {
        return options.directory();
    }

    /** Waits until the daemon serves, and stores its address. */
    public void await(String name) {
        addresses.put(name, daemon(name).awaitReady(START_TIMEOUT_MS));
    }

    private List<String> common() {
        List<String> common = new ArrayList<>(
                List.of("--zookeeper", address("zookeeper").toString(), "--cluster", options.cluster()));
        options.settings().forEach((key, value) -> {
            common.add("-S");
            common.add(key + "=" + value);
        });
        return common;
    }

    private String port(String name) {
        return Integer.toString(addresses.containsKey(name) ? address(name).port() : 0);
    }

    private String directory(String name) {
        return options.directory().resolve(name).toString();
    }

    private void launch(String name, List<String> arguments) {
        DaemonProcess old = daemons.get(name);
        if (old != null && old.isAlive()) {
            throw UniserveException.invalid(name + " already runs as process " + old.pid());
        }
        try {
            Files.createDirectories(options.directory().resolve("logs"));
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot create " + options.directory(), e);
        }
        List<String> command = new ArrayList<>(options.prefix());
        command.addAll(options.java().command(name.startsWith("server-") ? options.serverHeap() : "-Xmx256m"));
        command.addAll(arguments);
        daemons.put(name, DaemonProcess.start(name, command, log(name)));
    }

    /** Kills all processes, servers first and ZooKeeper last. */
    @Override
    public void close() {
        List<String> names = new ArrayList<>(daemons.keySet());
        names.sort(java.util.Comparator.comparing((String name) -> name.equals("zookeeper"))
                .thenComparing(name -> name));
        names.forEach(name -> daemon(name).close());
    }
}
