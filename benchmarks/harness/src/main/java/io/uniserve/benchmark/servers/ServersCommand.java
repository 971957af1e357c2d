package io.uniserve.benchmark.servers;

import io.uniserve.benchmark.measure.ProcFsReader;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench servers}. */
@Command(
        name = "servers",
        description = {
            "Growth: clusters of several sizes, one after the other, each server a process with a small heap and port kv."
                    + " Per size: time to place a table, CPU of queries of all actors and of one actor, memory and"
                    + " threads of a server, idle work of servers, coordinator and ZooKeeper, and the effects of"
                    + " kill -9 of one server. Figures per server should stay flat; they are compared with the smallest"
                    + " size of the same run.",
            "All processes share this machine. So throughput and latency say little; CPU, memory, threads and requests do."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench servers",
            "  uniserve bench servers --full",
            "  uniserve bench servers --servers 4,40 --actors 256",
            "  uniserve bench servers --servers 4,8 --actors 256,1024 --seconds 20"
        })
public final class ServersCommand extends CliCommand {
    static final List<Integer> FULL_SERVERS = List.of(4, 8, 16, 32, 40);
    private static final List<Integer> FULL_ACTORS = List.of(256, 1_024);
    private static final int SERVERS_MAX = 64;
    private static final int ACTORS_MAX = 4_096;
    /** Memory of a server beside its heap: classes, code, threads, buffers. */
    private static final int OVERHEAD_MB = 140;

    private static final int OTHERS_MB = 800;

    @Option(names = "--servers", split = ",", paramLabel = "N", description = "Sizes of the cluster (default: 4,8,16).")
    private List<Integer> servers = List.of(4, 8, 16);

    @Option(
            names = "--actors",
            split = ",",
            paramLabel = "N",
            description = "Actors of the table, one or several numbers (default: 256).")
    private List<Integer> actors = List.of(256);

    @Option(
            names = "--full",
            description = "4, 8, 16, 32 and 40 servers, 256 and 1,024 actors. Explicit options take precedence.")
    private boolean full;

    @Option(names = "--heap", paramLabel = "SIZE", description = "Heap of each server (default: 64m).")
    private String heap = "64m";

    @Option(names = "--rf", paramLabel = "N", description = "Replicas per actor (default: 2).")
    private int replicas = 2;

    @Option(names = "--rows", paramLabel = "N", description = "Rows per actor, on average (default: 10).")
    private int rows = 10;

    @Option(names = "--clients", paramLabel = "N", description = "Clients in a closed loop (default: 4).")
    private int clients = 4;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Length of the measurement of each kind of query (default: 8).")
    private double seconds = 8;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description = "Queries of each kind before they are measured (default: 5).")
    private double warmUp = 5;

    @Option(
            names = "--idle-seconds",
            paramLabel = "N",
            description = "Time that the idle cluster is watched (default: 10).")
    private double idleSeconds = 10;

    @Override
    public Integer call() throws IOException {
        ServersSettings settings = settings();
        List<GrowthResult> results = new ArrayList<>();
        try (Workspace workspace = Workspace.temporary("uniserve-bench")) {
            GrowthBench bench = new GrowthBench(workspace.directory(), settings, console(), clock()::nanos);
            settings.servers().forEach(size -> results.addAll(bench.run(size)));
        }
        return report(results);
    }

    private int report(List<GrowthResult> results) {
        ResultLine line = ResultLine.of("bench servers", arguments());
        GrowthReport report = new GrowthReport(results);
        report.rows().forEach(console()::println);
        report.figures().forEach(line::figure);
        results.forEach(
                result -> result.all().messages().forEach(message -> console().println("FAILED " + message)));
        results.forEach(
                result -> result.one().messages().forEach(message -> console().println("FAILED " + message)));
        long failed = results.stream().mapToLong(GrowthResult::failed).sum();
        long wrong = results.stream().mapToLong(GrowthResult::wrong).sum();
        line.with("failed", failed)
                .with("wrong", wrong)
                .with("rf", replicas)
                .with("clients", clients)
                .with("heap", heap)
                .with("cores", Runtime.getRuntime().availableProcessors())
                .with("java", Objects.toString(System.getProperty("java.version")));
        return line.require(failed == 0 && wrong == 0).print(console());
    }

    private ServersSettings settings() {
        if (full) {
            servers = isGiven("--servers") ? servers : FULL_SERVERS;
            actors = isGiven("--actors") ? actors : FULL_ACTORS;
        }
        servers.forEach(n -> checkRange("--servers", n, 3, SERVERS_MAX));
        actors.forEach(n -> checkRange("--actors", n, 1, ACTORS_MAX));
        checkRange("--rf", replicas, 2, 3);
        checkRange("--rows", rows, 1, 10_000);
        checkRange("--clients", clients, 1, 256);
        checkSeconds("--seconds", seconds, 0.1);
        checkSeconds("--warm-up", warmUp, 0);
        checkSeconds("--idle-seconds", idleSeconds, 1);
        int smallest = servers.stream().mapToInt(Integer::intValue).min().orElse(0);
        if (replicas >= smallest) {
            throw usageError("--rf is " + replicas + ": a cluster of " + smallest
                    + " servers cannot restore that many replicas after the loss of one; use fewer replicas or more"
                    + " --servers");
        }
        int largest = servers.stream().mapToInt(Integer::intValue).max().orElse(0);
        String shortage = shortage(largest, heapMb(), ProcFsReader.availableMb());
        if (shortage != null) {
            throw usageError(shortage);
        }
        return new ServersSettings(
                List.copyOf(new TreeSet<>(servers)),
                List.copyOf(new TreeSet<>(actors)),
                heap,
                replicas,
                rows,
                clients,
                seconds,
                warmUp,
                idleSeconds);
    }

    private void checkSeconds(String option, double value, double min) {
        if (!(value >= min && value <= 3_600)) {
            throw usageError(option + " is " + value + ": use " + min + " to 3600 seconds");
        }
    }

    private long heapMb() {
        if (!heap.matches("\\d{1,6}[mg]")) {
            throw usageError("--heap is \"" + heap + "\": use a number and m or g, e.g. 64m");
        }
        long number = Long.parseLong(heap.substring(0, heap.length() - 1));
        return heap.endsWith("g") ? number << 10 : number;
    }

    /**
     * Returns the message about too little memory for the largest cluster, or null if it suffices.
     *
     * @param availableMb memory that new processes may use; 0 if unknown
     */
    static @Nullable String shortage(int servers, long heapMb, long availableMb) {
        long needed = OTHERS_MB + servers * (heapMb + OVERHEAD_MB);
        return availableMb <= 0 || needed <= availableMb
                ? null
                : "--servers is " + servers + ": they need about " + needed + " MB of memory, and " + availableMb
                        + " MB are available; use fewer servers or a smaller --heap";
    }
}
