package io.uniserve.benchmark.overhead;

import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench overhead}. */
@Command(
        name = "overhead",
        description = {
            "Overhead of Uniserve over a bare gRPC fan-out: the key-value port on 4 server processes, rf 1, 16 and 64 actors;"
                    + " queries of one actor and of all actors by 1, 4 and 16 threads; updates of 1, 1,000 and 100,000 rows with fsync;"
                    + " an idle cluster. The floor is one bare unary call per server, same payload, in the same run, alternating."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench overhead",
            "  uniserve bench overhead --operations 2000 --raw overhead.tsv",
            "  uniserve bench overhead --modes"
        })
public final class OverheadCommand extends CliCommand {
    /** Each actor has 100 rows, and all rows of a table are one update. */
    private static final int ACTORS_MAX = 1_024;

    @Option(
            names = "--operations",
            paramLabel = "N",
            description = "Operations per block, all threads (default: 4000).")
    private int operations = 4_000;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description = "Warm-up operations of each kind and side, so that the JVMs have compiled"
                    + " the measured code (default: 200000).")
    private int warmup = 200_000;

    @Option(names = "--rounds", paramLabel = "N", description = "Blocks per side, alternating (default: 5).")
    private int rounds = 5;

    @Option(
            names = "--updates",
            paramLabel = "N",
            description = "Updates of one row per block; fewer of larger ones, in proportion (default: 200).")
    private int updates = 200;

    @Option(
            names = "--idle-seconds",
            paramLabel = "N",
            description = "Time that the idle cluster is watched (default: 60).")
    private int idleSeconds = 60;

    @Option(
            names = "--actors",
            split = ",",
            paramLabel = "N",
            description = "Actors of the table, one or several numbers, 4 to 1024 (default: 16,64).")
    private List<Integer> actors = List.of(16, 64);

    @Option(
            names = "--threads",
            split = ",",
            paramLabel = "N",
            description = "Threads of the client, one or several numbers (default: 1,4,16).")
    private List<Integer> threads = List.of(1, 4, 16);

    @Option(
            names = "--modes",
            description =
                    "Compare modes of security instead: queries of 16 actors on 2 servers by 4 threads in plain text, with"
                            + " TLS, and in mode closed with a reader, alternating. The last over TLS is the authorization.")
    private boolean modes;

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every operation's latency here.")
    private @Nullable Path raw;

    @Override
    public Integer call() throws IOException {
        checkRange("--operations", operations, 16, 10_000_000);
        checkRange("--rounds", rounds, 1, 1_000);
        checkRange("--updates", updates, 1, 10_000_000);
        checkRange("--idle-seconds", idleSeconds, 1, 3_600);
        checkRange("--warmup", warmup, 0, 10_000_000);
        actors.forEach(n -> checkRange("--actors", n, 4, ACTORS_MAX));
        threads.forEach(n -> checkRange("--threads", n, 1, 64));
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                RawResultWriter log = new RawResultWriter(raw)) {
            PairedBenchmark bench = new PairedBenchmark(SystemClock.INSTANCE::nanos, log);
            OverheadBench.Scale scale =
                    new OverheadBench.Scale(actors, threads, warmup, operations, rounds, updates, idleSeconds);
            ResultLine line = ResultLine.of("bench overhead", arguments());
            if (modes) {
                SecurityModesBench compared = new SecurityModesBench(bench, scale, workspace.directory(), console());
                compared.run().forEach(line::figure);
                compared.rows().forEach(console()::println);
            } else {
                OverheadBench overhead = new OverheadBench(bench, scale, workspace.directory(), console());
                overhead.run().forEach(line::figure);
                overhead.rows().forEach(console()::println);
            }
            line.with("cores", Runtime.getRuntime().availableProcessors());
            line.with("java", System.getProperty("java.version").toLowerCase(Locale.ROOT));
            return line.print(console());
        }
    }
}
