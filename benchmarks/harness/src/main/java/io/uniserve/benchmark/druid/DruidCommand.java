package io.uniserve.benchmark.druid;

import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench druid}. */
@Command(
        name = "druid",
        description = {
            "Compares the Druid port with native Druid. Servers, historicals, coordinators and the broker are"
                    + " processes. Both sides have lineitem of TPC-H, one segment per month of l_shipdate, no caches."
                    + " Answers are compared first; a difference fails the run.",
            "Parts: QUERIES, by several numbers of clients; HOT, 7 of 8 queries ask one month, and Uniserve makes a"
                    + " replica of it on every server; SHARE, as HOT with 0 to 100 %% of queries; KILL, a server is"
                    + " killed during 500 queries per minute; APPEND, new rows, by size of the update.",
            "Part EASY has no peer. Tables grow with time on real servers, and policies easy, spread and balance-num"
                    + " choose the servers of new chunks. It prints the p99 of queries and the deviation of CPU among"
                    + " servers. Scenarios: one table, many tables, and many tables while servers are added."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench druid --peer druid --raw druid.tsv",
            "  uniserve bench druid --peer druid --part hot,share --quota 0.2",
            "  uniserve bench druid --peer druid --part kill --minutes 10",
            "  uniserve bench druid --part easy --scenarios one",
            "  uniserve bench druid --part easy --chunk-seconds 30 --measure 600 --repeats 3",
            "  uniserve bench druid --peer none --sf 0.01"
        })
public final class DruidCommand extends CliCommand {
    /** Units before the measurement of part easy: every chunk of the most frequent table is a new one then. */
    private static final int SETTLE_UNITS = 8;

    /** Parts of the benchmark. */
    enum Part {
        QUERIES,
        HOT,
        SHARE,
        KILL,
        APPEND,
        EASY
    }

    /** Systems to compare with. */
    enum Peer {
        DRUID,
        NONE
    }

    /** Bytes on the heap per byte of appended rows. */
    private static final long BULK_HEAP_FACTOR = 35;

    @Option(
            names = "--peer",
            paramLabel = "NAME",
            description =
                    "System to compare with: ${COMPLETION-CANDIDATES}; none checks only Uniserve's counts and sums"
                            + " (default: druid).")
    private Peer peer = Peer.DRUID;

    @Option(
            names = "--part",
            split = ",",
            paramLabel = "PART",
            description = "Parts to run: ${COMPLETION-CANDIDATES} (default: queries).")
    private List<Part> parts = List.of(Part.QUERIES);

    @Option(
            names = "--full",
            description = "The papers' sizes: scale 1, 10 minutes of queries, 1, 10 and 100 MB, 10 rounds, 9 shares."
                    + " Explicit options take precedence.")
    private boolean full;

    @Option(names = "--sf", paramLabel = "N", description = "Scale factor of TPC-H (default: 0.1).")
    private double scale = 0.1;

    @Option(names = "--servers", paramLabel = "N", description = "Servers, and historicals of the peer (default: 4).")
    private int servers = 4;

    @Option(names = "--heap", paramLabel = "SIZE", description = "Heap of each server and historical (default: 512m).")
    private String heap = "512m";

    @Option(
            names = "--queries",
            split = ",",
            paramLabel = "NAME",
            description = "Queries to measure, such as sum_all or scan_page (default: those with goals).")
    private List<String> queries = DruidQueries.MEASURED;

    @Option(
            names = "--clients",
            split = ",",
            paramLabel = "N",
            description = "Numbers of concurrent clients, measured one after the other (default: 1,2,4,8).")
    private List<Integer> clients = List.of(1, 2, 4, 8);

    @Option(
            names = "--operations",
            paramLabel = "N",
            description = "Minimum number of queries per block, over all clients (default: 10).")
    private int operations = 10;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Minimum duration of a block on the faster side; blocks get more queries for it;"
                    + " 0: no minimum (default: 1).")
    private double seconds = 1;

    @Option(names = "--rounds", paramLabel = "N", description = "Blocks per side; the sides alternate (default: 5).")
    private int rounds = 5;

    @Option(names = "--warmup", paramLabel = "N", description = "Warm-up queries of each kind and side (default: 100).")
    private int warmup = 100;

    @Option(
            names = "--settle",
            paramLabel = "N",
            description = "Maximum warm-up blocks per side before each figure; they end when no side's CPU per query"
                    + " falls any more (default: 5).")
    private int settle = 5;

    @Option(
            names = "--quota",
            paramLabel = "CORES",
            description =
                    "CPU limit per server and historical in parts hot, share and easy, so that they do not compete for"
                            + " CPU. Needs root; 0 for no limit (default: 0.2).")
    private double quota = 0.2;

    @Option(
            names = "--copies-wait",
            paramLabel = "SECONDS",
            description =
                    "Parts hot and share: maximum time of queries until the coordinator has made a replica of the hot"
                            + " month on every server. Then the command replicate makes the missing ones; 0: all"
                            + " (default: 120).")
    private double copiesWait = 120;

    @Option(
            names = "--shares",
            split = ",",
            paramLabel = "PERCENT",
            description = "Shares of hot queries in part share (default: 0,25,50,75,100).")
    private List<Integer> shares = List.of(0, 25, 50, 75, 100);

    @Option(
            names = "--minutes",
            paramLabel = "N",
            description = "Duration of part kill per side; the server is killed after 3/10 of it (default: 1).")
    private double minutes = 1;

    @Option(
            names = "--rf",
            split = ",",
            paramLabel = "N",
            description = "Replication factors of part kill: one table with its own queries per factor (default: 1,4).")
    private List<Integer> rfs = List.of(1, 4);

    @Option(
            names = "--bulk",
            split = ",",
            paramLabel = "MB",
            description = "Sizes of the updates of part append (default: 1,10).")
    private List<Integer> bulk = List.of(1, 10);

    @Option(
            names = "--scenarios",
            split = ",",
            paramLabel = "NAME",
            description = "Scenarios of part easy: ${COMPLETION-CANDIDATES} (default: all).")
    private List<ChunkScenario> scenarios = List.of(ChunkScenario.values());

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Queries per second in part easy; they do not wait for earlier answers (default: 10).")
    private double rate = 10;

    @Option(
            names = "--chunk-seconds",
            paramLabel = "N",
            description =
                    "Real duration of the shortest chunks in part easy. The daemons' wall clock runs faster: such a"
                            + " chunk has 10 minutes on it (default: 4).")
    private double chunkSeconds = 4;

    @Option(
            names = "--measure",
            paramLabel = "SECONDS",
            description = "Length of each measurement of part easy (default: 30).")
    private double measure = 30;

    @Option(
            names = "--repeats",
            paramLabel = "N",
            description = "Runs per scenario and policy in part easy (default: 1).")
    private int repeats = 1;

    @Option(names = "--plots", paramLabel = "DIR", description = "Write plots of parts share and kill here, as SVG.")
    private @Nullable Path plots;

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every operation's latency here.")
    private @Nullable Path raw;

    @Override
    public Integer call() throws IOException {
        check();
        List<Part> others = parts.stream().filter(part -> part != Part.EASY).toList();
        if (peer == Peer.DRUID && !others.isEmpty()) {
            NativeDruid.folder();
        }
        ResultLine line = ResultLine.of("bench druid", arguments());
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                RawResultWriter log = new RawResultWriter(raw)) {
            if (parts.contains(Part.EASY)) {
                ChunkPlacementBench easy =
                        new ChunkPlacementBench(workspace.directory(), easySettings(), console(), clock()::nanos, log);
                easy.run();
                easy.report(line);
            }
            if (!others.isEmpty()) {
                compare(workspace, log, settings(others), line);
            }
        }
        line.with("scale", scale)
                .with("servers", servers)
                .with("heap", heap)
                .with("jvmFlags", JavaLauncher.ofThisProcess().flags())
                .with("cores", Runtime.getRuntime().availableProcessors())
                .with("java", System.getProperty("java.version"));
        return line.print(console());
    }

    private void compare(Workspace workspace, RawResultWriter log, DruidRun.Settings settings, ResultLine line) {
        try (DruidRun run = new DruidRun(workspace.directory(), settings, console(), clock()::nanos, log)) {
            run.run();
            run.report(line);
        }
    }

    private ChunkPlacementBench.Settings easySettings() {
        return new ChunkPlacementBench.Settings(
                scenarios.stream().distinct().toList(),
                servers,
                "-Xmx" + heap,
                rate,
                chunkSeconds,
                SETTLE_UNITS,
                measure,
                quota,
                repeats);
    }

    private DruidRun.Settings settings(List<Part> others) {
        return new DruidRun.Settings(
                peer == Peer.DRUID,
                others,
                scale,
                servers,
                "-Xmx" + heap,
                copiesWait,
                queries,
                new DruidQueryBench.Scale(clients, warmup, settle, operations, seconds, rounds),
                quota,
                shares,
                minutes,
                rfs,
                bulk,
                plots);
    }

    private void check() {
        if (full) {
            scale = isGiven("--sf") ? scale : 1;
            minutes = isGiven("--minutes") ? minutes : 10;
            rounds = isGiven("--rounds") ? rounds : 10;
            bulk = isGiven("--bulk") ? bulk : List.of(1, 10, 100);
            shares = isGiven("--shares") ? shares : List.of(0, 12, 25, 37, 50, 62, 75, 87, 100);
        }
        if (!(scale >= 0.001 && scale <= 10)) {
            throw usageError("--sf is " + scale + ": use 0.001 to 10");
        }
        if (!(seconds >= 0 && seconds <= 3600)) {
            throw usageError("--seconds is " + seconds + ": use 0 to 3600");
        }
        if (!(quota >= 0 && quota <= 64)) {
            throw usageError("--quota is " + quota + ": use 0 to 64");
        }
        if (!(minutes >= 0.05 && minutes <= 600)) {
            throw usageError("--minutes is " + minutes + ": use 0.05 to 600");
        }
        if (!heap.matches("\\d{1,6}[mg]")) {
            throw usageError("--heap is \"" + heap + "\": use a number and m or g, e.g. 512m");
        }
        if (!(rate >= 1 && rate <= 100_000)) {
            throw usageError("--rate is " + rate + ": use 1 to 100000");
        }
        if (!(chunkSeconds >= 1 && chunkSeconds <= 600)) {
            throw usageError("--chunk-seconds is " + chunkSeconds + ": use 1 to 600");
        }
        if (!(measure >= 1 && measure <= 86_400)) {
            throw usageError("--measure is " + measure + ": use 1 to 86400");
        }
        if (!(copiesWait >= 0 && copiesWait <= 3600)) {
            throw usageError("--copies-wait is " + copiesWait + ": use 0 to 3600");
        }
        checkRange("--repeats", repeats, 1, 100);
        checkRange("--servers", servers, 1, 32);
        checkRange("--operations", operations, 1, 10_000_000);
        checkRange("--rounds", rounds, 1, 1_000);
        checkRange("--warmup", warmup, 0, 10_000_000);
        checkRange("--settle", settle, 0, 1_000);
        clients.forEach(n -> checkRange("--clients", n, 1, 64));
        shares.forEach(n -> checkRange("--shares", n, 0, 100));
        bulk.forEach(n -> checkRange("--bulk", n, 1, 10_000));
        if (parts.contains(Part.APPEND)) {
            bulk.forEach(this::checkHeap);
        }
        if (parts.contains(Part.KILL)) {
            checkRange("--servers", servers, 2, 32);
            rfs.forEach(n -> checkRange("--rf", n, 1, servers));
        }
        DruidQueries.named("lineitem", queries);
    }

    /** Rows are made in advance, as objects of this process. */
    private void checkHeap(int megabytes) {
        long needed = megabytes * BULK_HEAP_FACTOR;
        long heap = Runtime.getRuntime().maxMemory() >> 20;
        if (heap < needed) {
            throw usageError("--bulk " + megabytes + " needs a heap of " + needed
                    + " MB for its rows, and this process has " + heap + " MB: set UNISERVE_JAVA_OPTS=-Xmx"
                    + needed + "m, or use a smaller size");
        }
    }
}
