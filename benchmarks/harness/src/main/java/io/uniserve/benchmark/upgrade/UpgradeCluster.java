package io.uniserve.benchmark.upgrade;

import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ParentProcessWatcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** ZooKeeper, two coordinators and three servers as processes, each of which may be of either distribution. Not thread-safe. */
final class UpgradeCluster implements AutoCloseable {
    static final int SERVERS = 3;

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long START_TIMEOUT_MS = 120_000;
    private static final String FAST_START = "-XX:TieredStopAtLevel=1";

    private final Path directory;
    private final Duration drain;
    private final LongSupplier nanos;
    private final Map<String, DaemonProcess> daemons = new TreeMap<>();
    private final Map<String, Address> addresses = new HashMap<>();

    UpgradeCluster(Path directory, Duration drain, LongSupplier nanos) {
        this.drain = drain;
        this.directory = directory;
        this.nanos = nanos;
    }

    static List<String> coordinators() {
        return List.of("coordinator-1", "coordinator-2");
    }

    static List<String> servers() {
        return List.of("server-1", "server-2", "server-3");
    }

    /** Starts all processes of one distribution, and waits until all serve. */
    void start(UnpackedRelease distribution) throws IOException {
        Files.createDirectories(directory.resolve("logs"));
        launch(
                distribution,
                "zookeeper",
                List.of("zookeeper", "--port", "0", "--data", path("zookeeper").toString()));
        coordinators().forEach(name -> start(distribution, name));
        servers().forEach(name -> start(distribution, name));
    }

    /** Stops a process by SIGTERM, and starts it again with its data and address from this distribution. */
    void restart(UnpackedRelease distribution, String name) {
        DaemonProcess old = daemon(name);
        old.terminate();
        old.awaitExit();
        start(distribution, name);
    }

    private void start(UnpackedRelease distribution, String name) {
        List<String> arguments = new ArrayList<>();
        if (name.startsWith("server-")) {
            arguments.addAll(List.of(
                    "server",
                    "--new",
                    "--data",
                    path(name).toString(),
                    "--store",
                    path("store").toString(),
                    "-S",
                    "server.drain-timeout=" + drain.toMillis() + "ms",
                    "-S",
                    "server.stop-grace=1s"));
        } else {
            arguments.addAll(List.of("coordinator", "-S", "coordinator.rebalance.period=0s"));
            if (drain.isZero()) {
                // No other server gets the replicas while this one restarts.
                arguments.addAll(List.of("-S", "coordinator.restore-delay=" + PATIENCE.toSeconds() + "s"));
            }
        }
        arguments.addAll(List.of(
                "--host",
                "127.0.0.1",
                "--port",
                addresses.containsKey(name) ? Integer.toString(address(name).port()) : "0",
                "--zookeeper",
                address("zookeeper").toString(),
                "--cluster",
                "upgrade"));
        launch(distribution, name, arguments);
    }

    private void launch(UnpackedRelease distribution, String name, List<String> arguments) {
        String heap = name.startsWith("server-") ? "-Xmx384m" : "-Xmx192m";
        List<String> command =
                distribution.command(String.join(" ", heap, FAST_START, ParentProcessWatcher.flag()), arguments);
        DaemonProcess daemon = DaemonProcess.start(name, command, log(name));
        daemons.put(name, daemon);
        addresses.put(name, daemon.awaitReady(START_TIMEOUT_MS));
    }

    /** Starts a client program with the libraries of this distribution and the classes of this process's harness. */
    DaemonProcess startLoad(UnpackedRelease distribution, Path stop) {
        String name = "load-" + distribution.label();
        // UpgradeLoad is always that of this process, all other classes are those of the distribution.
        String harness = Path.of(UpgradeLoad.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .toString();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "-XX:+UseSerialGC",
                FAST_START,
                "-cp",
                harness + ":" + distribution.classPathWithout("uniserve-harness"),
                UpgradeLoad.class.getName(),
                distribution.label(),
                stop.toString(),
                bootstrap()));
        DaemonProcess load = DaemonProcess.start(name, command, log(name));
        daemons.put(name, load);
        load.awaitReady(START_TIMEOUT_MS);
        return load;
    }

    String bootstrap() {
        return servers().stream().map(name -> address(name).toString()).collect(Collectors.joining(","));
    }

    /** Waits until every server is live and every actor has its replicas in sync on live servers. */
    void settle(UniserveClient client) {
        List<String> missing = new ArrayList<>();
        boolean settled = ConditionWaiter.await(nanos, PATIENCE.toMillis(), () -> {
            missing.clear();
            try {
                missing.addAll(missing(client.admin().status().routing()));
            } catch (UniserveException e) {
                missing.add(String.valueOf(e.getMessage()));
            }
            return missing.isEmpty();
        });
        if (!settled) {
            throw new UniserveException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "not settled within " + PATIENCE.toMinutes() + " minutes: " + String.join("; ", missing));
        }
    }

    private static List<String> missing(Routing routing) {
        List<String> missing = new ArrayList<>();
        Set<ServerId> live =
                new HashSet<>(routing.servers().stream().map(ServerRecord::id).toList());
        if (live.size() != SERVERS) {
            missing.add(live.size() + " of " + SERVERS + " servers are live");
        }
        routing.tables()
                .forEach(table -> table.map().actors().stream()
                        .filter(actor -> !actor.epochStarted()
                                || actor.isr().size() < UpgradeTrial.REPLICAS
                                || !live.containsAll(actor.isr())
                                || !actor.learners().isEmpty()
                                || !actor.fencing().isEmpty())
                        .forEach(actor -> missing.add(table.meta().name() + "/" + actor.actor() + ": " + actor)));
        return missing;
    }

    /** Returns the name of the leading coordinator. */
    String leader(UniserveClient client) {
        Address leader = client.admin().status().routing().coordinator();
        return coordinators().stream()
                .filter(name -> address(name).equals(leader))
                .findFirst()
                .orElseThrow(() -> new UniserveException(ErrorCode.UNAVAILABLE, "no coordinator leads"));
    }

    private DaemonProcess daemon(String name) {
        DaemonProcess daemon = daemons.get(name);
        if (daemon == null) {
            throw UniserveException.invalid("no daemon " + name);
        }
        return daemon;
    }

    private Address address(String name) {
        Address address = addresses.get(name);
        if (address == null) {
            throw UniserveException.invalid("daemon " + name + " has not been ready yet");
        }
        return address;
    }

    private Path path(String name) {
        return directory.resolve(name);
    }

    private Path log(String name) {
        return directory.resolve("logs").resolve(name + ".log");
    }

    /** Kills all processes, clients too, ZooKeeper last. */
    @Override
    public void close() {
        daemons.values().forEach(DaemonProcess::close);
    }
}
