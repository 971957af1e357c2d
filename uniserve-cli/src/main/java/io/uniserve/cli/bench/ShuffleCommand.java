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
                    + " stream of the same bytes in the same process, in turn; it checks and keeps nothing."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  uniserve bench shuffle", "  uniserve bench shuffle --chunks 16 --chunk-kib 4096 --rounds 3"})
public final class ShuffleCommand extends CliCommand {
    private static final double GOAL = 0.7;

    @Option(names = "--chunks", paramLabel = "N", description = "Chunks of a shuffle (default: 32).")
    private int chunks = 32;

    @Option(names = "--chunk-kib", paramLabel = "KIB", description = "Size of a chunk (default: 2048).")
    private int chunkKib = 2_048;

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
        long bytes = (long) chunks * chunkKib << 10;
        if (bytes > 256L << 20) {
            throw usage("--chunks times --chunk-kib is " + (bytes >> 20) + " MiB: all is in memory, use 256 at most");
        }
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                RawLog log = new RawLog(raw);
                ShuffleBench shuffle = new ShuffleBench(workspace.directory(), chunks, chunkKib << 10)) {
            CpuMeter cpu = new CpuMeter(List.of(), true);
            List<Block> blocks = new Bench(SystemClock.INSTANCE::nanos, log)
                    .compare(
                            new Bench.Load("shuffle", 1, shuffles, rounds),
                            List.of(
                                    new Bench.Side("uniserve", shuffle.ours(), cpu),
                                    new Bench.Side("bare stream", shuffle.bare(), cpu)));
            double ours = rate(bytes, blocks.get(0));
            double floor = rate(bytes, blocks.get(1));
            console()
                    .println(String.format(
                            Locale.ROOT,
                            "uniserve %.0f MB/s, bare stream %.0f MB/s, ratio %.2f",
                            ours,
                            floor,
                            ours / floor));
            ResultLine line = ResultLine.of("bench shuffle", arguments());
            line.figure(Figure.more("shuffle MB/s", ours, floor, GOAL));
            line.with("cores", Runtime.getRuntime().availableProcessors());
            line.with("java", System.getProperty("java.version").toLowerCase(Locale.ROOT));
            return line.print(console());
        }
    }

    /** Megabytes a second, at the median shuffle. */
    private static double rate(long bytes, Block block) {
        return bytes / 1e6 / (block.percentileMicros(0.5) / 1e6);
    }
}
