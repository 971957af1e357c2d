package io.uniserve.benchmark.placement;

import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.OutputFileWriter;
import io.uniserve.cli.command.SolverJarLoader;
import io.uniserve.cli.command.TextTable;
import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.generate.InstanceParameters;
import io.uniserve.placement.policy.MovesBound;
import io.uniserve.placement.simulate.AccessPattern;
import io.uniserve.placement.simulate.ClusterShape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench placement}. */
@Command(
        name = "placement",
        description = {
            "Measures the quality and time of placements: contention against its lower bound, balance, moves in the"
                    + " first and in later rounds, and for an unchanged input; recomputed by an independent checker.",
            "Problems are generated from seeds: Zipf loads, range and mixed shard sets, drift and resample."
        },
        footer = {
            "  uniserve bench placement",
            "  uniserve bench placement --actors 1024 --seeds 2 --raw placement.tsv",
            "  uniserve bench placement --growth --svg plots",
            "  uniserve bench placement --actors 1024 --seeds 1 --rounds 3 --moves-bound 20",
            "  uniserve bench placement --series --time-limit 1"
        })
public final class PlacementBenchCommand extends CliCommand {
    @Option(
            names = "--actors",
            split = ",",
            paramLabel = "N",
            description = "Actors, one or several numbers (default: 16,64,256,1024).")
    private List<Integer> actors = List.of(16, 64, 256, 1024);

    @Option(names = "--seeds", paramLabel = "N", description = "Seeds per case, from 1 (default: 5).")
    private int seeds = 5;

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds per seed (default: 10).")
    private int rounds = 10;

    @Option(
            names = "--policies",
            split = ",",
            paramLabel = "NAME",
            description = "Policies, one or several (default: parallelism).")
    private List<String> policies = List.of("parallelism");

    @Option(names = "--more", description = "Also measure rf 2 and 3, and unequal servers.")
    private boolean more;

    @Option(names = "--growth", description = "Instead: time and memory from 256 to 16,384 actors, two rounds each.")
    private boolean growth;

    @Option(
            names = "--time-ordered",
            description = "Instead: EASY, Spread and BalanceNum on tables that append chunks and drop old ones.")
    private boolean timeOrdered;

    @Option(
            names = "--series",
            description =
                    "Instead: the papers' series, 16 to 1,024 actors, with parallelism and without, 100 rounds each.")
    private boolean series;

    @Option(
            names = "--workloads",
            description = "Instead: four workloads under five policies, simulated, from neighbours side by side.")
    private boolean simulated;

    @Option(
            names = "--moves-bound",
            paramLabel = "S",
            description =
                    "Also compare the adds with the minimum that a solver proves for such a placement, in at most this"
                            + " many seconds per round.")
    private double boundSeconds;

    @Option(
            names = "--time-limit",
            paramLabel = "S",
            description = "Seconds of search per round (default: by size; 1 for --workloads).")
    private double timeLimit;

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every round here, tab-separated.")
    private @Nullable Path raw;

    @Option(names = "--svg", paramLabel = "DIRECTORY", description = "Write plots here.")
    private @Nullable Path svg;

    private final StringBuilder rawText = new StringBuilder(
            "kind\tcase\tseed\tround\tstatus\tseconds\tcpu\tcontention\tbound\toutside\tadds\tdrops\treplicas\tmax"
                    + "\tmin\n");

    @Override
    public Integer call() {
        checkRange("--seeds", seeds, 1, 1_000);
        checkRange("--rounds", rounds, 1, 1_000);
        actors.forEach(n -> checkRange("--actors", n, 2, 100_000));
        if (!(timeLimit >= 0 && timeLimit <= 3_600 && boundSeconds >= 0 && boundSeconds <= 3_600)) {
            throw usageError(
                    "--time-limit is " + timeLimit + ", --moves-bound " + boundSeconds + ": use 0 to 3600 seconds");
        }
        SolverJarLoader.addToClassLoader();
        ResultLine line = ResultLine.of("bench placement", arguments());
        if (timeOrdered) {
            TimeOrderedBench.run(console(), seeds, line);
        } else if (growth) {
            new PlacementScalingBench(console(), clock(), svg).run(line);
        } else if (series) {
            new PaperSeriesBench(console(), settings()).run(isGiven("--rounds") ? rounds : 100, line);
        } else if (simulated) {
            workloads(line);
        } else {
            table(line);
        }
        if (raw != null) {
            OutputFileWriter.write(raw, rawText);
        }
        line.with("cores", Runtime.getRuntime().availableProcessors());
        line.with("java", System.getProperty("java.version").toLowerCase(Locale.ROOT));
        return line.print(console());
    }

    private void workloads(ResultLine line) {
        ClusterShape shape = new ClusterShape(200, 20, 4, 17, 12, 10_000, 0.6, 1);
        double most = timeLimit > 0 ? timeLimit : 1;
        BenchSettings settings = new BenchSettings(clock(), row -> {}, null, 0, most);
        WorkloadSimulationRunner runs =
                new WorkloadSimulationRunner(console(), shape, () -> settings.effort(1, shape.actors()), svg);
        for (AccessPattern accessPattern : AccessPattern.values()) {
            runs.run(accessPattern, WorkloadSimulationRunner.POLICIES);
        }
        runs.printTable(line);
    }

    private BenchSettings settings() {
        MovesBound bound = isGiven("--moves-bound") ? PolicyCatalog.movesBound() : null;
        return new BenchSettings(clock(), row -> rawText.append(row).append('\n'), bound, boundSeconds, timeLimit);
    }

    private void table(ResultLine line) {
        BenchSettings settings = settings();
        TextTable table = new TextTable(
                "case",
                "gap mean %",
                "gap max %",
                "seconds",
                "cpu s",
                "slowest",
                "adds first",
                "adds later",
                "again",
                "unbalanced",
                "replicas",
                "first / bound",
                "later / bound");
        for (BenchCase what : cases()) {
            console().note("bench placement: " + what.name());
            BenchScore score = new BenchRun(what, settings).run(seeds);
            table.row(
                    what.name(),
                    BenchOutput.decimal(100 * score.gapMean(), 2),
                    BenchOutput.decimal(100 * score.gapMax(), 2),
                    BenchOutput.decimal(score.secondsMedian(), 2),
                    BenchOutput.decimal(score.cpuMedian(), 2),
                    BenchOutput.decimal(score.secondsMax(), 2),
                    BenchOutput.decimal(score.firstAdds(), 1),
                    BenchOutput.decimal(score.laterAdds(), 1),
                    score.againMoves(),
                    score.unbalanced(),
                    BenchOutput.decimal(score.replicas(), 0),
                    settings.movesBound() == null ? "-" : BenchOutput.decimal(score.firstOverBound(), 3),
                    settings.movesBound() == null ? "-" : BenchOutput.decimal(score.laterOverBound(), 3));
            BenchGoals.figures(what, score).forEach(line::figure);
        }
        table.print(console());
    }

    private List<BenchCase> cases() {
        List<BenchCase> cases = new ArrayList<>();
        for (String policy : policies) {
            for (int n : actors) {
                for (InstanceParameters.Change change : InstanceParameters.Change.values()) {
                    cases.add(new BenchCase(policy, shape(n, change, InstanceParameters.Mix.RANGE, 1), false));
                    if (n >= 256) {
                        cases.add(new BenchCase(policy, shape(n, change, InstanceParameters.Mix.MIXED, 1), false));
                    }
                    if (more && n >= 64) {
                        cases.add(new BenchCase(policy, shape(n, change, InstanceParameters.Mix.RANGE, 2), false));
                        cases.add(new BenchCase(policy, shape(n, change, InstanceParameters.Mix.RANGE, 3), false));
                        cases.add(new BenchCase(policy, shape(n, change, InstanceParameters.Mix.RANGE, 1), true));
                    }
                }
            }
        }
        return cases;
    }

    private InstanceParameters shape(int n, InstanceParameters.Change change, InstanceParameters.Mix mix, int rf) {
        return new InstanceParameters(n, 1_000, rounds, change, mix, rf);
    }
}
