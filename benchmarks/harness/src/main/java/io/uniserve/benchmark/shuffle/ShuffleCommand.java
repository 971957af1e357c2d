package io.uniserve.benchmark.shuffle;

import io.uniserve.benchmark.measure.BenchmarkIteration;
import io.uniserve.benchmark.measure.CpuMeter;
import io.uniserve.benchmark.measure.CpuPinning;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench shuffle}. */
@Command(
        name = "shuffle",
        description = {
            "Throughput of a shuffled join between two servers: two exchanges in this process, with"
                    + " the network between them, all in memory, incompressible chunks. The floor is one bare"
                    + " gRPC stream of the same bytes in the same process, alternating; it checks and keeps nothing. A"
                    + " second stream keeps the received bytes. The threads that send have one core and those that"
                    + " receive another, as on two machines, by Linux's taskset.",
            "Then the same from 64 actors to 64 slots, in 4,096 small chunks, with the maximum number of"
                    + " threads, compared with 8 actors and 8 slots, and the maximum memory.",
            "With --processes only the following: a join on DuckDB of two tables of 64 actors in 64 slots, on servers that are"
                    + " processes of their own, with the threads and the maximum memory of each, compared with 8 actors and"
                    + " 8 slots."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench shuffle",
            "  uniserve bench shuffle --chunks 16 --chunk-kib 4096 --rounds 3",
            "  uniserve bench shuffle --processes 4"
        })
public final class ShuffleCommand extends CliCommand {
    private static final double GOAL = 0.7;
    private static final int BYTES_MAX = 256 << 20;
    private static final int FEW = 8;
    private static final int MANY = 64;
    private static final int JOINS = 3;
    /** Duration of a warm-up turn per side. */
    private static final double TURN_SECONDS = 1;

    @Option(names = "--chunks", paramLabel = "N", description = "Chunks per shuffle (default: 32).")
    private int chunks = 32;

    @Option(names = "--chunk-kib", paramLabel = "KIB", description = "Size of a chunk (default: 2048).")
    private int chunkKib = 2_048;

    @Option(
            names = "--small-kib",
            paramLabel = "KIB",
            description = "Size of a chunk of the shuffle of 64 actors and 64 slots (default: 16).")
    private int smallKib = 16;

    @Option(names = "--shuffles", paramLabel = "N", description = "Shuffles per block (default: 25).")
    private int shuffles = 25;

    @Option(names = "--rounds", paramLabel = "N", description = "Blocks per side, alternating (default: 6).")
    private int rounds = 6;

    @Option(
            names = "--settle",
            paramLabel = "TURNS",
            description = "Warm up until CPU time no longer falls, in turns of about a second per side, at most so"
                    + " many (default: 30).")
    private int settle = 30;

    @Option(
            names = "--share-cores",
            description = "Let the system place all threads on any core, as without taskset or with only one core.")
    private boolean shareCores;

    @Option(
            names = "--processes",
            paramLabel = "N",
            description = "Measure the threads and memory of this many server processes (default: none).")
    private int processes;

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every shuffle's time here.")
    private @Nullable Path raw;

    @Override
    public Integer call() throws IOException {
        checkRange("--chunks", chunks, 1, 4_096);
        checkRange("--chunk-kib", chunkKib, 1, 16_384);
        checkRange("--shuffles", shuffles, 1, 10_000);
        checkRange("--rounds", rounds, 1, 1_000);
        checkRange("--settle", settle, 0, 1_000);
        checkRange("--small-kib", smallKib, 1, BYTES_MAX / 64 / 64 >> 10);
        long bytes = (long) chunks * chunkKib << 10;
        if (bytes > BYTES_MAX) {
            throw usageError("--chunks times --chunk-kib is " + (bytes >> 20)
                    + " MiB: all chunks are in memory, use 256 at most");
        }
        if (isGiven("--processes")) {
            checkRange("--processes", processes, 1, 32);
            return processes();
        }
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                RawResultWriter log = new RawResultWriter(raw)) {
            ResultLine line = ResultLine.of("bench shuffle", arguments());
            line.figure(compare("shuffle MB/s", workspace.directory().resolve("large"), log, chunks, 1, chunkKib));
            long few = threads(workspace.directory().resolve("few"), FEW);
            resetPeaks();
            line.figure(
                    compare("64 x 64 shuffle MB/s", workspace.directory().resolve("small"), log, MANY, MANY, smallKib));
            long peak = peakMemory();
            long live = liveBytes(workspace.directory().resolve("live"));
            long many = threads(workspace.directory().resolve("many"), MANY);
            console()
                    .println(String.format(
                            Locale.ROOT,
                            "threads at most: %d at 8 x 8, %d at 64 x 64; memory at 64 x 64 at most %d MiB with what was"
                                    + " not collected yet, %d MiB of heap live with all chunks there, of which %d MiB are"
                                    + " the chunks, made and received",
                            few,
                            many,
                            peak >> 20,
                            live >> 20,
                            2L * MANY * MANY * smallKib >> 10));
            line.figure(BenchmarkMetric.atMost("threads at 64 x 64 above those at 8 x 8", many - few, 0));
            line.with("threads", many);
            line.with("peakMemoryBytes", peak);
            line.with("liveHeapBytes", live);
            try (CpuPinning cores = CpuPinning.ofThisProcess()) {
                line.with("coreOfItsOwn", pinThreads(cores));
            }
            line.with("cores", Runtime.getRuntime().availableProcessors());
            line.with("java", System.getProperty("java.version").toLowerCase(Locale.ROOT));
            return line.print(console());
        }
    }

    /** Measures joins in server processes. Each table contributes half of a chunk. */
    private int processes() throws IOException {
        int rows = Math.max(1, smallKib / 2);
        ResultLine line = ResultLine.of("bench shuffle", arguments());
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                ShuffledJoinBench servers = new ShuffledJoinBench(workspace.directory(), processes)) {
            console().note("loading");
            servers.load(FEW, rows);
            servers.load(MANY, rows);
            Map<String, ShuffledJoinBench.Usage> few = servers.join(FEW, rows, JOINS);
            Map<String, ShuffledJoinBench.Usage> many = servers.join(MANY, rows, JOINS);
            servers.steps(MANY).forEach(console()::println);
            console().println("server       threads at 8 x 8   at 64 x 64   most memory MB at 8 x 8   at 64 x 64");
            many.forEach((server, taken) -> {
                ShuffledJoinBench.Usage before = Objects.requireNonNull(few.get(server));
                console()
                        .println(String.format(
                                Locale.ROOT,
                                "%-12s %16d %12d %25d %12d",
                                server,
                                before.threads(),
                                taken.threads(),
                                before.peakMb(),
                                taken.peakMb()));
            });
            line.with("servers", processes);
            line.with("threads", maxOf(many, taken -> taken.threads()));
            line.with("threadsFew", maxOf(few, taken -> taken.threads()));
            line.with("peakMb", maxOf(many, taken -> taken.peakMb()));
            line.with("peakMbFew", maxOf(few, taken -> taken.peakMb()));
            line.with("cores", Runtime.getRuntime().availableProcessors());
            line.with("java", System.getProperty("java.version").toLowerCase(Locale.ROOT));
            return line.print(console());
        }
    }

    private static long maxOf(
            Map<String, ShuffledJoinBench.Usage> servers, ToLongFunction<ShuffledJoinBench.Usage> what) {
        return servers.values().stream().mapToLong(what).max().orElse(0);
    }

    private BenchmarkMetric compare(String name, Path folder, RawResultWriter log, int sources, int slots, int kib)
            throws IOException {
        try (ShuffleBench shuffle = new ShuffleBench(folder, sources, slots, kib << 10);
                CpuPinning cores = CpuPinning.ofThisProcess()) {
            if (pinThreads(cores)) {
                shuffle.pinThreads(cores);
            }
            CpuMeter cpu = new CpuMeter(List.of(), true);
            PairedBenchmark bench = new PairedBenchmark(SystemClock.INSTANCE::nanos, log);
            PairedBenchmark.Load load = new PairedBenchmark.Load(name, 1, shuffles, rounds);
            List<PairedBenchmark.Side> sides = List.of(
                    new PairedBenchmark.Side("uniserve", shuffle.exchangeOperation(), cpu),
                    new PairedBenchmark.Side("bare stream", shuffle.bareOperation(false), cpu),
                    new PairedBenchmark.Side("bare stream that keeps", shuffle.bareOperation(true), cpu));
            // Servers run for long. In a new process the compiler takes a third of the CPU time.
            int turns = bench.settle(load, TURN_SECONDS, settle, sides);
            console().note(name + ": " + turns + " turns before the first that counts");
            List<BenchmarkIteration> blocks = bench.compare(load, sides);
            long bytes = (long) sources * slots * kib << 10;
            double ours = rate(bytes, blocks.get(0));
            double floor = rate(bytes, blocks.get(1));
            double keeps = rate(bytes, blocks.get(2));
            console()
                    .println(String.format(
                            Locale.ROOT,
                            "%d chunks of %d KiB: uniserve %.0f MB/s, bare stream %.0f MB/s, ratio %.2f; a stream that"
                                    + " keeps what comes %.0f MB/s, ratio %.2f",
                            sources * slots,
                            kib,
                            ours,
                            floor,
                            ours / floor,
                            keeps,
                            ours / keeps));
            return BenchmarkMetric.moreIsBetter(name, ours, floor, GOAL);
        }
    }

    private boolean pinThreads(CpuPinning cores) {
        return !shareCores && cores.count() > 1;
    }

    /** Returns the maximum threads of this process during a few shuffles of this many actors and slots. */
    private static long threads(Path folder, int sides) throws IOException {
        try (ShuffleBench shuffle = new ShuffleBench(folder, sides, sides, 1_024)) {
            ManagementFactory.getThreadMXBean().resetPeakThreadCount();
            for (int i = 0; i < 3; i++) {
                shuffle.exchangeOperation().run(i);
            }
            return ManagementFactory.getThreadMXBean().getPeakThreadCount();
        }
    }

    private long liveBytes(Path folder) throws IOException {
        try (ShuffleBench shuffle = new ShuffleBench(folder, MANY, MANY, smallKib << 10)) {
            return shuffle.liveBytes();
        }
    }

    private static void resetPeaks() {
        System.gc();
        ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
    }

    /** Returns the peak of all memory pools. The pools have their peaks at different times, so this is an upper bound. */
    private static long peakMemory() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .mapToLong(pool -> pool.getPeakUsage().getUsed())
                .sum();
    }

    /** Returns megabytes per second, at the median shuffle. */
    private static double rate(long bytes, BenchmarkIteration benchmarkIteration) {
        return bytes / 1e6 / (benchmarkIteration.percentileMicros(0.5) / 1e6);
    }
}
