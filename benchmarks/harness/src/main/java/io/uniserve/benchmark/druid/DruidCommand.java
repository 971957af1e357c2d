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
            "The Druid port against native Druid: servers and historicals each in a JVM of its own, with a real ZooKeeper,"
                    + " coordinator and broker on the peer's side. Both have lineitem of TPC-H, one segment per month of"
                    + " l_shipdate, no caches. Answers are compared first; a difference fails the run.",
            "Parts: QUERIES of all months by several clients; HOT, one month with 7 of 8 queries and a replica on every"
                    + " server; SHARE, the same with 0 to 100 %% of queries; KILL, a server is killed under 500 queries per"
                    + " minute; APPEND, megabytes of new rows."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench druid --peer druid --raw druid.tsv",
            "  uniserve bench druid --peer druid --part hot,share --quota 0.2",
            "  uniserve bench druid --peer druid --part kill --minutes 10",
            "  uniserve bench druid --peer none --sf 0.01"
        })
public final class DruidCommand extends CliCommand {
    /** Parts of the benchmark. */
    enum Part {
        QUERIES,
        HOT,
        SHARE,
        KILL,
        APPEND
    }

    /** Systems to compare with. */
    enum Peer {
        DRUID,
        NONE
    }

    @Option(
            names = "--peer",
            paramLabel = "NAME",
            description =
                    "System to compare with: ${COMPLETION-CANDIDATES}; none only checks Uniserve's counts and sums"
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
            description = "The papers' sizes: scale 1, 10 minutes of queries, 1, 10 and 100 MB, 10 rounds. Options that"
                    + " are given count.")
    private boolean full;

    @Option(names = "--sf", paramLabel = "N", description = "Scale factor of TPC-H (default: 0.1).")
    private double scale = 0.1;

    @Option(names = "--servers", paramLabel = "N", description = "Servers, and historicals of the peer (default: 4).")
    private int servers = 4;

    @Option(names = "--heap", paramLabel = "SIZE", description = "Heap of each, e.g. 512m (default).")
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
            description = "Concurrent clients, one or several numbers (default: 1,2,4,8).")
    private List<Integer> clients = List.of(1, 2, 4, 8);

    @Option(
            names = "--operations",
            paramLabel = "N",
            description = "Minimum queries per block, all clients (default: 10).")
    private int operations = 10;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "More queries, until the faster side takes this long; 0 for none (default: 1).")
    private double seconds = 1;

    @Option(names = "--rounds", paramLabel = "N", description = "Blocks per side, alternating (default: 5).")
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
            description = "CPU limit per server and historical in parts hot and share, as on machines of their own;"
                    + " needs root, 0 for no limit (default: 0.2).")
    private double quota = 0.2;

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
            description = "Replicas of the tables of part kill, each with its own queries (default: 1,4).")
    private List<Integer> rfs = List.of(1, 4);

    @Option(names = "--bulk", split = ",", paramLabel = "MB", description = "Sizes of bulk appends (default: 1,10).")
    private List<Integer> bulk = List.of(1, 10);

    @Option(names = "--plots", paramLabel = "DIR", description = "Write plots of parts share and kill here, as SVG.")
    private @Nullable Path plots;

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every operation's latency here.")
    private @Nullable Path raw;

    @Override
    public Integer call() throws IOException {
        check();
        if (peer == Peer.DRUID) {
            NativeDruid.folder();
        }
        ResultLine line = ResultLine.of("bench druid", arguments());
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                RawResultWriter log = new RawResultWriter(raw);
                DruidRun run = new DruidRun(workspace.directory(), settings(), console(), clock()::nanos, log)) {
            run.run();
            run.report(line);
        }
        line.with("scale", scale)
                .with("servers", servers)
                .with("heap", heap)
                .with("jvmFlags", JavaLauncher.ofThisProcess().flags())
                .with("cores", Runtime.getRuntime().availableProcessors())
                .with("java", System.getProperty("java.version"));
        return line.print(console());
    }

    private DruidRun.Settings settings() {
        return new DruidRun.Settings(
                peer == Peer.DRUID,
                parts,
                scale,
                servers,
                "-Xmx" + heap,
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
        checkRange("--servers", servers, 1, 32);
        checkRange("--operations", operations, 1, 10_000_000);
        checkRange("--rounds", rounds, 1, 1_000);
        checkRange("--warmup", warmup, 0, 10_000_000);
        checkRange("--settle", settle, 0, 1_000);
        clients.forEach(n -> checkRange("--clients", n, 1, 64));
        shares.forEach(n -> checkRange("--shares", n, 0, 100));
        bulk.forEach(n -> checkRange("--bulk", n, 1, 10_000));
        if (parts.contains(Part.KILL)) {
            checkRange("--servers", servers, 2, 32);
            rfs.forEach(n -> checkRange("--rf", n, 1, servers));
        }
        DruidQueries.named("lineitem", queries);
    }
}
