package io.uniserve.benchmark.chaos;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Cluster of three ZooKeeper servers, two coordinators and several servers, each a process with a loopback address of its own. All
 * connections pass through proxies in this process, which listen at the advertised addresses. For one thread.
 */
final class ChaosCluster implements AutoCloseable {
    /** Owner of connections that are not a daemon's. */
    static final String CLIENTS = "clients";

    private static final long START_TIMEOUT_MS = 180_000;
    private static final int ENDS_LOOKED_FOR = 3;

    private final ChaosOptions options;
    private final LinkFaultInjector linkFaultInjector = new LinkFaultInjector();
    private final DiskFiller disk;
    private final JavaLauncher java;
    private final Map<String, LinkProxy> proxies = new TreeMap<>();
    private final Map<String, Integer> indexByName = new TreeMap<>();
    private final Map<String, DaemonProcess> daemons = new ConcurrentHashMap<>();
    private final Map<String, Path> memberFiles = new HashMap<>();

    ChaosCluster(ChaosOptions options, DiskFiller disk) {
        this.options = options;
        this.disk = disk;
        JavaLauncher plain = JavaLauncher.ofThisProcess();
        List<String> flags = new ArrayList<>(plain.flags());
        flags.add("-XX:TieredStopAtLevel=1"); // a dozen JVMs that start often: one fast compiler is best
        this.java = new JavaLauncher(plain.java(), plain.home(), plain.classPath(), plain.main(), flags);
    }

    /** Starts all processes and waits until all serve. */
    void start() {
        try {
            Files.createDirectories(options.directory().resolve("logs"));
            for (String name : daemonNames()) {
                indexByName.put(name, indexByName.size() + 1);
                Files.createDirectories(directory(name));
                proxies.put(
                        name, new LinkProxy(name, proxyHost(name), daemonHost(name), linkFaultInjector, this::owner));
            }
            configureEnsemble();
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot prepare " + options.directory() + ": " + e, e);
        }
        disk.prepare(directory(servers().get(servers().size() - 1)));
        daemonNames().forEach(this::launch);
        daemonNames().forEach(this::await);
    }

    private List<String> daemonNames() {
        List<String> names = new ArrayList<>(zookeepers());
        names.addAll(coordinators());
        names.addAll(servers());
        return names;
    }

    static List<String> zookeepers() {
        return numbered("zookeeper-", ChaosOptions.ZOOKEEPERS);
    }

    static List<String> coordinators() {
        return numbered("coordinator-", ChaosOptions.COORDINATORS);
    }

    List<String> servers() {
        return numbered("server-", options.servers());
    }

    private static List<String> numbered(String prefix, int count) {
        List<String> names = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            names.add(prefix + i);
        }
        return names;
    }

    LinkFaultInjector links() {
        return linkFaultInjector;
    }

    /** Returns the disk with the data of the last server. */
    DiskFiller disk() {
        return disk;
    }

    private String proxyHost(String name) {
        return "127.0.2." + indexByName.get(name);
    }

    private String daemonHost(String name) {
        return "127.0.1." + indexByName.get(name);
    }

    private int port(String name) {
        LinkProxy proxy = proxies.get(name);
        if (proxy == null) {
            throw new IllegalStateException("no daemon " + name);
        }
        return proxy.port();
    }

    /** Returns the advertised address, HOST:PORT. */
    String address(String name) {
        return proxyHost(name) + ":" + port(name);
    }

    Path directory(String name) {
        return options.directory().resolve(name);
    }

    /** Returns the owner of a local port. It retries for new connections of daemons, because {@code /proc} may lag behind. */
    private String owner(int port) {
        Map<Long, String> processes = new HashMap<>();
        daemons.forEach((name, daemon) -> processes.put(daemon.pid(), name));
        processes.put(ProcessHandle.current().pid(), CLIENTS);
        for (int look = 0; look < ENDS_LOOKED_FOR; look++) {
            var found = SocketOwnerResolver.ownerOf(port, processes);
            if (found.isPresent()) {
                return found.get();
            }
        }
        return "unknown";
    }

    private void configureEnsemble() throws IOException {
        List<String> servers = new ArrayList<>();
        for (String name : zookeepers()) {
            servers.add("server." + indexByName.get(name) + "=" + daemonHost(name) + ":" + freePort(name) + ":"
                    + freePort(name) + ";" + daemonHost(name) + ":" + port(name));
        }
        for (String name : zookeepers()) {
            Path data = directory(name);
            Files.writeString(data.resolve("myid"), String.valueOf(indexByName.get(name)));
            List<String> lines = new ArrayList<>(List.of(
                    "dataDir=" + data,
                    "tickTime=500",
                    "initLimit=20",
                    "syncLimit=8",
                    "maxClientCnxns=0",
                    "admin.enableServer=false",
                    "4lw.commands.whitelist=srvr"));
            lines.addAll(servers);
            Path file = options.directory().resolve(name + ".cfg");
            Files.write(file, lines);
            memberFiles.put(name, file);
        }
    }

    private int freePort(String name) throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(daemonHost(name)))) {
            return socket.getLocalPort();
        }
    }

    /** Starts the daemon without waiting. */
    void launch(String name) {
        List<String> words = new ArrayList<>();
        String heap = "-Xmx192m";
        if (name.startsWith("zookeeper-")) {
            words.addAll(List.of("ensemble-member", "--file", String.valueOf(memberFiles.get(name))));
        } else if (name.startsWith("coordinator-")) {
            words.add("coordinator");
            words.addAll(member(name));
        } else {
            heap = "-Xmx384m";
            words.addAll(List.of(
                    "server",
                    "--new",
                    "--engines",
                    "kv",
                    "--data",
                    directory(name).resolve("data").toString(),
                    "--store",
                    options.directory().resolve("store").toString()));
            words.addAll(member(name));
        }
        daemons.put(
                name,
                DaemonProcess.start(
                        name,
                        java.commandLine(heap, words),
                        options.directory().resolve("logs").resolve(name + ".log")));
    }

    private List<String> member(String name) {
        List<String> words = new ArrayList<>(List.of(
                "--host", daemonHost(name),
                "--advertised-host", proxyHost(name),
                "--port", Integer.toString(port(name)),
                "--cluster", "chaos",
                "--zookeeper",
                        String.join(
                                ",", zookeepers().stream().map(this::address).toList())));
        Map<String, String> settings = new TreeMap<>(Map.of(
                "zookeeper.session-timeout", "4s",
                "zookeeper.start-timeout", "3m",
                "server.lease", "1s",
                "coordinator.rebalance.period", "0s"));
        settings.forEach((key, value) -> words.addAll(List.of("-S", key + "=" + value)));
        return words;
    }

    /** Waits until the daemon serves. */
    void await(String name) {
        daemon(name).awaitReady(START_TIMEOUT_MS);
    }

    DaemonProcess daemon(String name) {
        DaemonProcess daemon = daemons.get(name);
        if (daemon == null) {
            throw new IllegalStateException("no daemon " + name);
        }
        return daemon;
    }

    /** Restarts ended processes, continues stopped ones, and removes all network faults. */
    void healAll() {
        linkFaultInjector.healAll();
        disk.free(daemon(diskServer()).pid());
        for (String name : daemonNames()) {
            if (daemon(name).isAlive()) {
                daemon(name).resume();
            } else {
                launch(name);
            }
        }
        daemonNames().forEach(this::await);
    }

    /** Returns the server whose disk can be made full. */
    String diskServer() {
        return servers().get(servers().size() - 1);
    }

    @Override
    public void close() throws IOException {
        linkFaultInjector.close();
        List<String> names = daemonNames();
        for (int i = names.size() - 1; i >= 0; i--) {
            DaemonProcess daemon = daemons.get(names.get(i));
            if (daemon != null) {
                daemon.close();
            }
        }
        for (LinkProxy proxy : proxies.values()) {
            proxy.close();
        }
        disk.close();
    }
}
