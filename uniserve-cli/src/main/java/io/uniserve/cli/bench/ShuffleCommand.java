package io.uniserve.cli.bench;

import io.uniserve.cli.CliCommand;
import io.uniserve.cli.Figure;
import io.uniserve.cli.ResultLine;
import io.uniserve.cli.bench.measure.Bench;
import io.uniserve.cli.bench.measure.Block;
import io.uniserve.cli.bench.measure.CpuMeter;
import io.uniserve.cli.bench.measure.RawLog;
import io.uniserve.cli.process.Workspace;
import io.uniserve.runtime.time.SystemClock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench shuffle}. */
@Command(
        name = "shuffle",
        description = {
            "How fast chunks of a shuffled join come from one server to another: two exchanges in this process, with the"
                    + " network between them, all in memory, chunks that nothing compresses. The floor is one bare gRPC"
                    + " stream of the same bytes in the same process, in turn; it checks and keeps nothing. Told beside it is one"
                    + " that keeps what comes.",
            "Then the same from 64 actors to 64 slots, in 4,096 small chunks, with the threads that there were at most, beside"
                    + " those of 8 actors and 8 slots, and the most memory that was taken."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  uniserve bench shuffle", "  uniserve bench shuffle --chunks 16 --chunk-kib 4096 --rounds 3"})
public final class ShuffleCommand extends CliCommand {
    private static final double GOAL = 0.7;
    private static final int BYTES_MAX = 256 << 20;

    @Option(names = "--chunks", paramLabel = "N", description = "Chunks of a shuffle (default: 32).")
    private int chunks = 32;

    @Option(names = "--chunk-kib", paramLabel = "KIB", description = "Size of a chunk (default: 2048).")
    private int chunkKib = 2_048;

    @Option(
            names = "--small-kib",
            paramLabel = "KIB",
            description = "Size of a chunk of the shuffle of 64 actors and 64 slots (default: 16).")
    private int smallKib = 16;

    @Option(names = "--shuffles", paramLabel = "N", description = "Shuffles of a block (default: 10).")
    private int shuffles = 10;

    @Option(names = "--rounds", paramLabel = "N", description = "Blocks of each side, in turn (default: 5).")
    private int rounds = 5;

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every shuffle's time here.")
    private @Nullable Path raw;

    @Override
    public Integer call() throws IOException {
        range("--chunks", chunks, 1, 4_096);
        range("--chunk-kib", chunkKib, 1, 16_384);
        range("--shuffles", shuffles, 1, 10_000);
        range("--rounds", rounds, 1, 1_000);
        range("--small-kib", smallKib, 1, BYTES_MAX / 64 / 64 >> 10);
        long bytes = (long) chunks * chunkKib << 10;
        if (bytes > BYTES_MAX) {
            throw usage("--chunks times --chunk-kib is " + (bytes >> 20) + " MiB: all is in memory, use 256 at most");
        }
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                RawLog log = new RawLog(raw)) {
            ResultLine line = ResultLine.of("bench shuffle", arguments());
            line.figure(compared("shuffle MB/s", workspace.directory().resolve("large"), log, chunks, 1, chunkKib));
            long few = threads(workspace.directory().resolve("few"), 8);
            resetPeaks();
            line.figure(
                    compared("64 x 64 shuffle MB/s", workspace.directory().resolve("small"), log, 64, 64, smallKib));
            long peak = peakMemory();
            long many = threads(workspace.directory().resolve("many"), 64);
            console()
                    .println(String.format(
                            Locale.ROOT,
                            "threads at most: %d at 8 x 8, %d at 64 x 64; memory at most %d MiB at 64 x 64, of which %d MiB are"
                                    + " the chunks, made and received",
                            few,
                            many,
                            peak >> 20,
                            2L * 64 * 64 * smallKib >> 10));
            line.figure(Figure.atMost("threads at 64 x 64 above those at 8 x 8", many - few, 0));
            line.with("threads", many);
            line.with("peakMemoryBytes", peak);
            line.with("cores", Runtime.getRuntime().availableProcessors());
            line.with("java", System.getProperty("java.version").toLowerCase(Locale.ROOT));
            return line.print(console());
        }
    }

    private Figure compared(String name, Path folder, RawLog log, int sources, int slots, int kib) throws IOException {
        try (ShuffleBench shuffle = new ShuffleBench(folder, sources, slots, kib << 10)) {
            CpuMeter cpu = new CpuMeter(List.of(), true);
            List<Block> blocks = new Bench(SystemClock.INSTANCE::nanos, log)
                    .compare(
                            new Bench.Load(name, 1, shuffles, rounds),
                            List.of(
                                    new Bench.Side("uniserve", shuffle.ours(), cpu),
                                    new Bench.Side("bare stream", shuffle.bare(false), cpu),
                                    new Bench.Side("bare stream that keeps", shuffle.bare(true), cpu)));
            long bytes = (long) sources * slots * kib << 10;
            double ours = rate(bytes, blocks.get(0));
            double floor = rate(bytes, blocks.get(1));
            double keeps = rate(bytes, blocks.get(2));
            console()
                    .println(String.format(
                            Locale.ROOT,
                            "%d chunks of %d KiB: uniserve %.0f MB/s, bare stream %.0f MB/s, ratio %.2f; one that keeps what"
                                    + " comes %.0f MB/s, ratio %.2f",
                            sources * slots,
                            kib,
                            ours,
                            floor,
                            ours / floor,
                            keeps,
                            ours / keeps));
            return Figure.more(name, ours, floor, GOAL);
        }
    }

    /** The most threads of this process during some shuffles of so many actors and slots. */
    private static long threads(Path folder, int sides) throws IOException {
        try (ShuffleBench shuffle = new ShuffleBench(folder, sides, sides, 1_024)) {
            ManagementFactory.getThreadMXBean().resetPeakThreadCount();
            for (int i = 0; i < 3; i++) {
                shuffle.ours().run(i);
            }
            return ManagementFactory.getThreadMXBean().getPeakThreadCount();
        }
    }

    private static void resetPeaks() {
        System.gc();
        ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
    }

    /** Of heap and other pools, each at its own moment. */
    private static long peakMemory() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .mapToLong(pool -> pool.getPeakUsage().getUsed())
                .sum();
    }

    /** Megabytes a second, at the median shuffle. */
    private static double rate(long bytes, Block block) {
        return bytes / 1e6 / (block.percentileMicros(0.5) / 1e6);
    }
}
