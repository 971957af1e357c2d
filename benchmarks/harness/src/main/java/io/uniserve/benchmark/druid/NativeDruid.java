package io.uniserve.benchmark.druid;

import com.fasterxml.jackson.databind.JsonNode;
import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.cli.command.Console;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Native Druid of real processes on this machine: ZooKeeper, a coordinator that is also overlord, historicals, a broker, and a builder of
 * segments. Deep storage is a directory, metadata is in Derby, caches are off. Not thread-safe, except for queries.
 */
final class NativeDruid implements AutoCloseable {
    /** Command that puts the peer's jars into the distribution. */
    static final String BUILD = "./mvnw -B -Pdruid -pl :uniserve-peer-druid -am -DskipTests package";

    private static final String NODE = "io.uniserve.benchmark.druidpeer.DruidNode";
    private static final String SEGMENTS = "io.uniserve.benchmark.druidpeer.SegmentServer";
    private static final String VERSION = "33.0.0";
    private static final long START_TIMEOUT_MS = 600_000;
    private static final long LOAD_TIMEOUT_MS = 600_000;
    /** Version of the segments of a load. */
    static final String FIRST_VERSION = "2026-01-01T00:00:00.000Z";

    private final Path directory;
    private final Path jars;
    private final Settings settings;
    private final Console console;
    private final LongSupplier nanos;
    private final JavaLauncher java = JavaLauncher.ofThisProcess();
    private final Map<String, DaemonProcess> daemons = new LinkedHashMap<>();
    private final Map<String, List<String>> commands = new HashMap<>();
    private @Nullable DruidHttpClient client;
    private String metadata = "";

    /**
     * Sizes of a cluster.
     *
     * @param heap heap option of historicals and broker, e.g. {@code -Xmx512m}
     * @param threads processing threads of each
     */
    record Settings(int historicals, String heap, int threads) {}

    /** Prepares the cluster without starting it. Fails with INVALID_CONFIGURATION if the distribution has no jars of the peer. */
    NativeDruid(Path directory, Settings settings, Console console, LongSupplier nanos) {
        this.directory = directory;
        this.jars = folder();
        this.settings = settings;
        this.console = console;
        this.nanos = nanos;
    }

    /** Returns the directory of the peer's jars. Fails with INVALID_CONFIGURATION, with the command that fills it, if there are none. */
    static Path folder() {
        Path folder = JavaLauncher.ofThisProcess()
                .home()
                .resolve("peers")
                .resolve("druid")
                .resolve("lib");
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                if (files.anyMatch(file -> file.getFileName().toString().startsWith("uniserve-peer-druid"))) {
                    return folder;
                }
            } catch (IOException e) {
                throw new UniserveException(ErrorCode.IO, "cannot list " + folder, e);
            }
        }
        throw new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "native Druid is not in " + folder
                        + ": it is 190 MB and not part of the distribution. In the source tree run: " + BUILD
                        + "; or use --peer none");
    }

    String name() {
        return "native Druid " + VERSION;
    }

    /** Starts all processes and waits until all serve. */
    void start() {
        console.note(
                "starting " + name() + ": ZooKeeper, coordinator, broker, " + settings.historicals() + " historicals");
        create(directory.resolve("extensions"));
        DaemonProcess zooKeeper = launch(
                "zookeeper",
                java.commandLine("-Xmx256m", List.of("zookeeper", "--port", "0", "--data", path("zookeeper"))));
        String address = zooKeeper.awaitReady(START_TIMEOUT_MS).toString();
        int derby = freePort();
        metadata = "jdbc:derby://127.0.0.1:" + derby + "/" + path("metadata") + ";create=true";
        List<String> common = DruidServiceOptions.common(directory, address, metadata, derby);
        start("coordinator", "-Xmx256m", "coordinator", common, DruidServiceOptions.coordinator());
        for (int i = 1; i <= settings.historicals(); i++) {
            String name = "historical-" + i;
            List<String> options = DruidServiceOptions.historical(directory.resolve(name), settings.threads());
            start(name, settings.heap(), "historical", common, options);
        }
        start("broker", settings.heap(), "broker", common, DruidServiceOptions.broker(settings.threads()));
        launch("segments", command("-Xmx1g", List.of(), SEGMENTS));
        daemons.forEach((name, daemon) -> {
            daemon.awaitReady(START_TIMEOUT_MS);
            console.note("native " + name + " serves");
        });
        client = new DruidHttpClient(address("broker"), address("coordinator"), address("segments"));
        awaitHistoricals(settings.historicals());
    }

    private void start(String name, String heap, String service, List<String> common, List<String> options) {
        List<String> all = new ArrayList<>(common);
        all.addAll(options);
        create(directory.resolve(name + "-tmp"));
        all.add("-Djava.io.tmpdir=" + path(name + "-tmp"));
        all.add("-Dderby.stream.error.file=" + path(name + "-derby.log"));
        List<String> command = new ArrayList<>(command(heap, all, NODE));
        command.add(service);
        launch(name, command);
    }

    private List<String> command(String heap, List<String> options, String main) {
        List<String> command = new ArrayList<>(List.of(java.java().toString(), heap));
        command.addAll(java.flags());
        command.addAll(DruidServiceOptions.JVM);
        command.addAll(options);
        command.addAll(List.of("-cp", jars.resolve("*").toString(), main));
        return command;
    }

    private DaemonProcess launch(String name, List<String> command) {
        DaemonProcess daemon = DaemonProcess.start("druid-" + name, command, directory.resolve(name + ".log"));
        daemons.put(name, daemon);
        commands.put(name, command);
        return daemon;
    }

    /** Waits until the coordinator has found this many historicals. Segments are not spread over all before. */
    private void awaitHistoricals(int count) {
        await("the coordinator has not found " + count + " historicals", () -> {
            JsonNode servers = client().coordinator("/druid/coordinator/v1/servers?simple");
            int found = 0;
            for (JsonNode server : servers) {
                found += server.path("type").asText().equals("historical") ? 1 : 0;
            }
            return found >= count;
        });
    }

    /** Sets the number of replicas of a data source's segments, on all historicals. */
    void setReplicas(String dataSource, int replicas) {
        client().post(
                        client().coordinatorAddress(),
                        "/druid/coordinator/v1/rules/" + dataSource,
                        "[{\"type\":\"loadForever\",\"tieredReplicants\":{\"_default_tier\":" + replicas + "}}]");
    }

    /** Builds one segment per chunk from its file, and publishes all of them. Returns their size in bytes. */
    long publish(String dataSource, List<LineitemChunks.Chunk> chunks, String version) {
        String request = DruidSchema.segmentRequest(
                dataSource, chunks, directory.resolve("deep").toString(), version, metadata);
        return client().post(client().segmentsAddress(), "/segments", request)
                .path("bytes")
                .asLong();
    }

    /** Waits until the historicals serve all replicas of all segments and the broker counts this many rows. */
    void awaitLoaded(String dataSource, int segments, int replicas, long rows) {
        String description = dataSource + " is not loaded: " + segments + " segments of " + replicas + " replicas";
        await(
                description,
                () -> segmentsByServer(dataSource).values().stream()
                                .mapToInt(Integer::intValue)
                                .sum()
                        == segments * replicas);
        awaitRows(dataSource, rows);
    }

    /** Waits until the broker counts this many rows. */
    void awaitRows(String dataSource, long rows) {
        String count = DruidQueries.count(dataSource);
        await(
                "the broker does not count " + rows + " rows of " + dataSource,
                () -> DruidQueries.countOf(client().query(count)) == rows);
    }

    /** Returns the number of segments by historical. */
    Map<String, Integer> segmentsByServer(String dataSource) {
        Map<String, Integer> counts = new HashMap<>();
        for (JsonNode server : client().coordinator("/druid/coordinator/v1/servers?full")) {
            if (server.path("type").asText().equals("historical")) {
                int count = 0;
                for (JsonNode segment : server.path("segments")) {
                    count += segment.path("dataSource").asText().equals(dataSource) ? 1 : 0;
                }
                counts.put(server.path("host").asText(), count);
            }
        }
        return counts;
    }

    /** Returns the historical that serves the segment of a chunk of a data source with one replica, as its name here. */
    String historicalOf(String dataSource, LineitemChunks.Chunk chunk) {
        for (JsonNode server : client().coordinator("/druid/coordinator/v1/servers?full")) {
            for (JsonNode segment : server.path("segments")) {
                if (segment.path("dataSource").asText().equals(dataSource)
                        && segment.path("interval").asText().startsWith(chunk.month() + "-01")) {
                    return nameOf(server.path("host").asText());
                }
            }
        }
        throw new UniserveException(
                ErrorCode.UNAVAILABLE, "no historical serves " + chunk.month() + " of " + dataSource);
    }

    private String nameOf(String host) {
        return daemons.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("historical-"))
                .filter(entry ->
                        entry.getValue().awaitReady(START_TIMEOUT_MS).toString().equals(host))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new UniserveException(ErrorCode.INTERNAL, "no historical at " + host));
    }

    /** Answers a native query through the broker, as JSON. */
    String query(String json) {
        return client().query(json);
    }

    /** Answers a native query, or fails after the deadline of a person who waits. */
    String queryShortly(String json) {
        return client().queryShortly(json);
    }

    /** Sends SIGKILL to a historical. */
    void kill(String name) {
        daemon(name).kill();
    }

    List<Long> historicalPids() {
        return daemons.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("historical-"))
                .map(entry -> entry.getValue().pid())
                .toList();
    }

    /** Returns the processes that answer queries: historicals and broker. */
    List<Long> queryPids() {
        List<Long> pids = new ArrayList<>(historicalPids());
        pids.add(daemon("broker").pid());
        return pids;
    }

    /** Returns all processes but ZooKeeper, for measurements of loads. */
    List<Long> loadPids() {
        return daemons.entrySet().stream()
                .filter(entry -> !entry.getKey().equals("zookeeper"))
                .map(entry -> entry.getValue().pid())
                .toList();
    }

    private DaemonProcess daemon(String name) {
        DaemonProcess daemon = daemons.get(name);
        if (daemon == null) {
            throw UniserveException.invalid("no process " + name + "; processes are " + daemons.keySet());
        }
        return daemon;
    }

    private Address address(String name) {
        return daemon(name).awaitReady(START_TIMEOUT_MS);
    }

    private DruidHttpClient client() {
        if (client == null) {
            throw new IllegalStateException("native Druid was not started");
        }
        return client;
    }

    private void await(String failure, java.util.function.BooleanSupplier condition) {
        if (!ConditionWaiter.await(nanos, LOAD_TIMEOUT_MS, condition)) {
            throw new UniserveException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    failure + " after " + LOAD_TIMEOUT_MS + " ms\n"
                            + daemon("coordinator").tail());
        }
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    private static void create(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot create " + folder, e);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "no free TCP port", e);
        }
    }

    /** Kills all processes, ZooKeeper last. */
    @Override
    public void close() {
        List<DaemonProcess> all = new ArrayList<>(daemons.values());
        for (int i = all.size() - 1; i >= 0; i--) {
            all.get(i).close();
        }
    }
}
