package io.uniserve.benchmark.ycsb;

import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench ycsb}. */
@Command(
        name = "ycsb",
        description = {
            "The YCSB client (site.ycsb 0.17.0) against tables of several ports, and in the same run against their engines"
                    + " without Uniserve: one process, and as many processes as servers behind a scatter-gather client."
                    + " YCSB checks the values that it reads, and the binding the rows of scans.",
            "Parts: CORE, workloads A to F at a target rate, latencies from the intended start of each operation; SCANS,"
                    + " scans of 1,000 to 2,000 items that read one field; HOT, seven eighths of the reads ask one eighth"
                    + " of the keys, without and with automatic copies; BULK, atomic bulk inserts over four actors."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench ycsb",
            "  uniserve bench ycsb --ports kv,mongodb,duckdb,lucene --parts core",
            "  uniserve bench ycsb --parts scans --records 100000 --rounds 5",
            "  uniserve bench ycsb --parts hot --quota 0.1",
            "  UNISERVE_JAVA_OPTS=-Xmx3g uniserve bench ycsb --parts bulk --full --heap 2g"
        })
public final class YcsbCommand extends CliCommand {
    private static final long LARGE_HEAP = 1_900L << 20;
    private static final int FULL_BULK = 100;
    private static final int FULL_RECORDS = 100_000;
    private static final int FULL_OPERATIONS = 60_000;

    @Option(
            names = "--ports",
            split = ",",
            paramLabel = "PORT",
            description = "Ports to measure, one after the other: kv, mongodb, duckdb, lucene (default: kv).")
    private List<String> ports = List.of("kv");

    @Option(
            names = "--parts",
            split = ",",
            paramLabel = "PART",
            description = "Parts to run: ${COMPLETION-CANDIDATES} (default: all).")
    private List<YcsbPart> parts = List.of(YcsbPart.values());

    @Option(
            names = "--workloads",
            split = ",",
            paramLabel = "NAME",
            description = "Workloads of part core, a to f (default: all).")
    private List<String> workloads = YcsbWorkload.CORE;

    @Option(
            names = "--full",
            description = "100,000 records, 60,000 operations per run, and bulk inserts of 1, 10 and 100 MB. Explicit"
                    + " options take precedence.")
    private boolean full;

    @Option(names = "--servers", paramLabel = "N", description = "Servers, and bare engines (default: 4).")
    private int servers = 4;

    @Option(names = "--actors", paramLabel = "N", description = "Actors of the table (default: 8).")
    private int actors = 8;

    @Option(names = "--rf", paramLabel = "N", description = "Replicas per actor; peers have no replicas (default: 1).")
    private int replicas = 1;

    @Option(names = "--heap", paramLabel = "SIZE", description = "Heap of each server and bare engine (default: 512m).")
    private String heap = "512m";

    @Option(names = "--records", paramLabel = "N", description = "Rows of the table, 1 kB each (default: 10000).")
    private int records = 10_000;

    @Option(
            names = "--operations",
            paramLabel = "N",
            description = "Operations per run of part core; part hot has ten times as many (default: 2000).")
    private int operations = 2_000;

    @Option(names = "--scans", paramLabel = "N", description = "Scans per block of part scans (default: 300).")
    private int scans = 300;

    @Option(names = "--threads", paramLabel = "N", description = "Threads of the YCSB client (default: 8).")
    private int threads = 8;

    @Option(
            names = "--target",
            paramLabel = "N",
            description =
                    "Operations per second in part core; 0 for as many as possible, with latencies from the actual"
                            + " start (default: 500).")
    private int target = 500;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description =
                    "Operations of each client process before it is measured; in part scans at most a quarter of a"
                            + " block (default: 1000).")
    private int warmUp = 1_000;

    @Option(
            names = "--quota",
            paramLabel = "CORES",
            description = "CPU limit per server in part hot. Needs root; 0 for no limit (default: 0.1).")
    private double quota = 0.1;

    @Option(
            names = "--copies-wait",
            paramLabel = "SECONDS",
            description = "Part hot: maximum time of queries until the hot actor has a replica on every server"
                    + " (default: 60).")
    private double copiesWait = 60;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description =
                    "Counted blocks per side in parts scans, hot and bulk; the sides alternate. Inserts of less than"
                            + " 20 MB have more (default: 2).")
    private int rounds = 2;

    @Option(
            names = "--bulk",
            split = ",",
            paramLabel = "MB",
            description = "Sizes of the inserts of part bulk (default: 1,10).")
    private List<Integer> bulk = List.of(1, 10);

    @Option(names = "--plots", paramLabel = "DIR", description = "Write plots of part core here, as SVG.")
    private @Nullable Path plots;

    @Option(names = "--raw", paramLabel = "DIR", description = "Write YCSB's own output of every run here.")
    private @Nullable Path raw;

    @Override
    public Integer call() throws IOException {
        YcsbSettings settings = settings();
        YcsbClientProcess.folder();
        ResultLine line = ResultLine.of("bench ycsb", arguments());
        try (Workspace workspace = Workspace.temporary("uniserve-bench")) {
            YcsbBench bench = new YcsbBench(workspace.directory(), settings, console(), clock()::nanos);
            bench.run();
            bench.report().print(line);
        }
        line.with("servers", servers)
                .with("actors", actors)
                .with("rf", replicas)
                .with("records", records)
                .with("threads", threads)
                .with("target", target)
                .with("heap", heap)
                .with("jvmFlags", JavaLauncher.ofThisProcess().flags())
                .with("cores", Runtime.getRuntime().availableProcessors())
                .with("java", System.getProperty("java.version"));
        return line.print(console());
    }

    private YcsbSettings settings() {
        if (full) {
            records = isGiven("--records") ? records : FULL_RECORDS;
            operations = isGiven("--operations") ? operations : FULL_OPERATIONS;
            bulk = isGiven("--bulk") ? bulk : List.of(1, 10, FULL_BULK);
        }
        checkNumbers();
        return new YcsbSettings(
                ports.stream().map(name -> checked(() -> YcsbPort.named(name))).toList(),
                parts.stream().distinct().toList(),
                workloads.stream()
                        .map(name -> checked(() -> YcsbWorkload.core(name)))
                        .toList(),
                servers,
                actors,
                replicas,
                "-Xmx" + heap,
                records,
                operations,
                scans,
                threads,
                target,
                warmUp,
                quota,
                copiesWait,
                rounds,
                bulk,
                raw,
                plots);
    }

    private <T> T checked(Supplier<T> value) {
        try {
            return value.get();
        } catch (UniserveException e) {
            throw usageError(e.reason());
        }
    }

    private void checkNumbers() {
        checkRange("--servers", servers, 1, 32);
        checkRange("--actors", actors, 1, 1_024);
        checkRange("--rf", replicas, 1, servers);
        checkRange("--records", records, 1, 100_000_000);
        checkRange("--operations", operations, 1, 100_000_000);
        checkRange("--scans", scans, 1, 100_000_000);
        checkRange("--threads", threads, 1, 1_024);
        checkRange("--target", target, 0, 10_000_000);
        checkRange("--warm-up", warmUp, 0, 10_000_000);
        checkRange("--rounds", rounds, 1, 1_000);
        if (!heap.matches("\\d{1,6}[mg]")) {
            throw usageError("--heap is \"" + heap + "\": use a number and m or g, e.g. 512m");
        }
        if (!(quota >= 0 && quota <= 64)) {
            throw usageError("--quota is " + quota + ": use 0 to 64");
        }
        if (!(copiesWait >= 0 && copiesWait <= 3600)) {
            throw usageError("--copies-wait is " + copiesWait + ": use 0 to 3600");
        }
        for (int megabytes : bulk) {
            checkRange("--bulk", megabytes, 1, FULL_BULK);
            if (parts.contains(YcsbPart.BULK)
                    && megabytes > FULL_BULK / 2
                    && Runtime.getRuntime().maxMemory() < LARGE_HEAP) {
                throw usageError("--bulk is " + megabytes
                        + ": its rows need a heap of 3 GB in this process; set UNISERVE_JAVA_OPTS=-Xmx3g");
            }
        }
        if (threads > operations) {
            throw usageError("--threads is " + threads + ": use at most the " + operations + " of --operations");
        }
    }
}
