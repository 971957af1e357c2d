package io.uniserve.runtime.config;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Settings of a server; {@code reference.conf} explains each.
 *
 * @param advertisedHost empty for the machine's own name
 * @param id id of a new server; empty for a random one
 * @param newDataDirectory true to create a new server if the data directory is missing or empty
 * @param portSettings settings of each port, by the port's name
 * @param storageLocation location of durable storage, such as a directory or {@code s3://bucket/prefix}; empty for none
 * @param takeOverStorage true to take over the durable storage of a lost cluster of the same name
 * @param clockDrift as a fraction
 * @param loadHalfLife half-life of the averages in load reports
 * @param interruptionNotices source of notices that the machine is about to be taken away; empty for none
 */
public record ServerSettings(
        String host,
        int port,
        Optional<String> advertisedHost,
        Path dataDirectory,
        boolean newDataDirectory,
        Optional<ServerId> id,
        String zone,
        List<String> engines,
        Path portsDirectory,
        Map<String, Map<String, String>> portSettings,
        Optional<String> storageLocation,
        boolean takeOverStorage,
        Capacity capacity,
        Duration lease,
        double clockDrift,
        Duration ping,
        int pingTargets,
        Duration rpcTimeout,
        Duration tick,
        Duration logShipping,
        int checkpointEntries,
        long checkpointBytes,
        long logBytesPerActorMax,
        long logRetainBytes,
        Duration engineTimeout,
        Work work,
        Exchange exchange,
        Duration drainTimeout,
        Duration stopGrace,
        Trash trash,
        Duration scrubPeriod,
        Duration loadHalfLife,
        Optional<String> interruptionNotices) {
    private static final Duration MS_50 = Duration.ofMillis(50);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long TIB = 1L << 40;

    /** Capacity of the server for placement; 0 for the machine's own value. */
    public record Capacity(double cpuCores, long memoryBytes, long diskBytes) {}

    /**
     * Threads (0: as many as the machine has cores, at least 2), queues and memory of requests.
     *
     * @param queryTimeMax longest time of a read or plan, even if its deadline is later
     * @param fairReads true to share threads by table and client, with spare threads for long tasks
     */
    public record Work(
            int readThreads,
            int applyThreads,
            int queryThreads,
            int readQueue,
            int queryQueue,
            Duration catchUpWait,
            long resultMemoryBytes,
            long sessionBytesMax,
            Duration queryTimeMax,
            boolean fairReads) {}

    /** Limits on the chunks of plans with scatters: per query and for all, in memory and, beyond that, in files. */
    public record Exchange(long queryMemoryBytes, long memoryBytes, long queryFileBytes, long fileBytes) {}

    /**
     * Settings of the trash, for replicas of tables that ZooKeeper does not know.
     *
     * @param bytesMax 0 for a share of the disk
     * @param allUnknown true if all of the server's replicas may go to the trash at once
     */
    public record Trash(Duration retention, long bytesMax, boolean allUnknown) {}

    private static Optional<ServerId> serverId(ConfigSection server) {
        String id = server.text("id").strip();
        try {
            return id.isEmpty() ? Optional.empty() : Optional.of(new ServerId(id));
        } catch (UniserveException e) {
            throw server.invalidValue("id", "1 to 64 characters of A-Z a-z 0-9 _ -", e);
        }
    }

    static ServerSettings of(ConfigSection root) {
        ConfigSection server = root.section("server");
        ConfigSection capacity = server.section("capacity");
        return new ServerSettings(
                server.textNotEmpty("host"),
                server.port("port"),
                Optional.of(server.text("advertised-host").strip()).filter(host -> !host.isEmpty()),
                server.file("data-dir"),
                server.flag("new-data-dir"),
                serverId(server),
                server.textNotEmpty("zone"),
                List.copyOf(server.texts("engines")),
                server.file("ports-dir"),
                server.textsByName("port-settings"),
                Optional.of(root.section("storage").text("location").strip()).filter(text -> !text.isEmpty()),
                root.section("storage").flag("take-over"),
                new Capacity(
                        capacity.decimal("cpu-cores", 0, 4_096),
                        capacity.bytes("memory", 0, 1_024 * TIB),
                        capacity.bytes("disk", 0, 1_024 * TIB)),
                server.duration("lease", Duration.ofMillis(100), MINUTE),
                server.fraction("clock-drift", 0.5),
                server.duration("ping", MS_50, MINUTE),
                server.number("ping-targets", 1, 1_000),
                server.duration("rpc-timeout", Duration.ofMillis(100), MINUTE),
                server.duration("tick", Duration.ofMillis(10), Duration.ofSeconds(10)),
                server.duration("log-shipping", Duration.ofMillis(100), Duration.ofHours(1)),
                server.number("checkpoint-entries", 1, 1_000_000_000),
                server.bytes("checkpoint-bytes", 64 << 10, TIB),
                server.bytes("log-bytes-per-actor-max", 64 << 20, TIB),
                server.bytes("log-retain-bytes", 0, TIB),
                server.duration("engine-timeout", Duration.ofSeconds(1), Duration.ofHours(24)),
                work(server),
                exchange(server),
                server.duration("drain-timeout", Duration.ZERO, Duration.ofHours(1)),
                server.duration("stop-grace", Duration.ZERO, Duration.ofHours(1)),
                new Trash(
                        server.duration("trash-retention", Duration.ofSeconds(1), Duration.ofDays(365)),
                        server.bytes("trash-bytes-max", 0, 1_024 * TIB),
                        server.flag("trash-all-unknown")),
                server.duration("scrub-period", Duration.ZERO, Duration.ofDays(366)),
                server.duration("load-half-life", Duration.ofMillis(100), Duration.ofHours(1)),
                Optional.of(server.text("interruption-notices").strip()).filter(text -> !text.isEmpty()));
    }

    private static Work work(ConfigSection server) {
        return new Work(
                server.number("read-threads", 0, 1_024),
                server.number("apply-threads", 0, 1_024),
                server.number("query-threads", 1, 1_024),
                server.number("read-queue", 1, 1_000_000),
                server.number("query-queue", 1, 1_000_000),
                server.duration("catch-up-wait", Duration.ZERO, Duration.ofSeconds(10)),
                server.bytes("result-memory", 32 << 20, TIB),
                server.bytes("session-bytes-max", 1 << 20, 1024 * TIB),
                server.duration("query-time-max", Duration.ofMillis(100), Duration.ofHours(1)),
                server.flag("fair-reads"));
    }

    private static Exchange exchange(ConfigSection server) {
        return new Exchange(
                server.bytes("exchange-query-memory", 0, TIB),
                server.bytes("exchange-memory", 0, TIB),
                server.bytes("exchange-query-files", 0, 1024 * TIB),
                server.bytes("exchange-files", 0, 1024 * TIB));
    }
}
