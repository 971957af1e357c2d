package io.uniserve.benchmark.simulate;

import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.cli.command.Logging;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.simulator.LightFaultReport;
import io.uniserve.simulator.SeedReport;
import io.uniserve.simulator.Simulation;
import io.uniserve.simulator.SimulationOptions;
import io.uniserve.simulator.SimulationReport;
import io.uniserve.simulator.plant.Plant;
import io.uniserve.simulator.workload.Workload;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve simulate}. */
@Command(
        name = "simulate",
        description = {
            "Runs a whole cluster in virtual time, one history per seed: the same state machines as in production,"
                    + " with lost, late and duplicate messages, network partitions, crashes, pauses, expired sessions,"
                    + " torn writes.",
            "A seed's history, and so the hash, is the same on every machine. A violation is printed with the command"
                    + " that replays it."
        },
        footer = {
            "  uniserve simulate --seeds 1..20",
            "  uniserve simulate --seeds 1 --hours 5",
            "  uniserve simulate --seeds 17 --trace | less",
            "  uniserve simulate --seeds 1..20 --workload atomic",
            "  uniserve simulate --seeds 1..20 --rebalance",
            "  uniserve simulate --seeds 1..20 --scale",
            "  uniserve simulate --calm --hours 24 --workload atomic",
            "  uniserve simulate --seeds 1..5 --plant skipped-fsync     passes when the checker finds the planted bug"
        })
public final class SimulateCommand extends CliCommand {
    private static final int FAULT_SECONDS_DEFAULT =
            SimulationOptions.defaults().faultSecondsPerSeed();
    private static final double OPERATIONS_PER_SECOND_GOAL = 10;
    private static final double CALM_HOURS_DEFAULT = 6;

    @Option(
            names = "--seeds",
            paramLabel = "A..B",
            defaultValue = "1..20",
            converter = SeedRange.Converter.class,
            description = "First and last seed (default: 1..20).")
    private SeedRange seeds = new SeedRange(1, 1);

    @Option(
            names = "--hours",
            paramLabel = "H",
            description = "Run seeds from the first on until this many simulated hours under faults are reached.")
    private double hours;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "Simulated seconds under faults per seed; healing comes in addition.")
    private int seconds = FAULT_SECONDS_DEFAULT;

    @Option(
            names = "--plant",
            paramLabel = "BUG",
            description = "Plant a bug: none, skipped-fsync, no-deduplication, learner-early,"
                    + " shrink-without-cas, no-fence and others. The run then passes if it is found.")
    private String plant = "none";

    @Option(
            names = "--workload",
            paramLabel = "KIND",
            description = "Updates of clients: eventual, or atomic (updates of several actors in one version, and reads"
                    + " of one version). The default is eventual, or the one that shows the planted bug.")
    private String workload = "";

    @Option(
            names = "--rebalance",
            description = "Change the loads of actors, so that the rebalancer moves replicas; a server joins late.")
    private boolean rebalance;

    @Option(
            names = "--hot-actor",
            description = "Make one actor hot and cold in turn, so that it gets automatic copies and loses them again;"
                    + " includes --rebalance.")
    private boolean hotActor;

    @Option(
            names = "--scale",
            description =
                    "Let the auto-scaler launch and terminate servers, with a provider that fails, loses answers and"
                            + " lists late; includes --rebalance.")
    private boolean scale;

    @Option(
            names = "--calm",
            description =
                    "One cluster for --hours hours (default: 6) of the first seed, under light faults and checked every"
                            + " ten minutes: logs, records and memory must not grow.")
    private boolean calm;

    @Option(names = "--trace", description = "Print every line of every history.")
    private boolean trace;

    @Override
    public Integer call() {
        Plant bug = plant();
        SeedRange range = range();
        if (!global().verbose()) {
            Logging.quiet();
        }
        SimulationOptions options =
                SimulationOptions.defaults().with(bug).with(workload(bug)).withFaultSeconds(seconds);
        if (rebalance) {
            options = options.withRebalancing();
        }
        if (hotActor) {
            options = options.withHotActor();
        }
        if (scale) {
            options = options.withScaling();
        }
        if (trace) {
            options = options.withListener(console()::println);
        }
        if (calm) {
            return calm(options);
        }
        ProgressBar progress = new ProgressBar(
                console().err(), console().terminal(), clock()::nanos, "simulate " + range, range.count());
        AtomicLong done = new AtomicLong();
        AtomicLong violations = new AtomicLong();
        SimulationReport report = new Simulation(options).run(range.from(), range.to(), seed -> {
            violations.addAndGet(seed.violationCount());
            progress.update(done.incrementAndGet(), "seed " + seed.seed() + ", " + violations + " violations");
        });
        progress.finish();
        print(report, range);
        return result(report, range, bug).print(console());
    }

    private int calm(SimulationOptions options) {
        List<String> others = Stream.of("--rebalance", "--seconds", "--plant")
                .filter(this::isGiven)
                .toList();
        if (!others.isEmpty()) {
            throw usageError("--calm and " + others.get(0) + " do not go together: leave one of them out");
        }
        double length = isGiven("--hours") ? hours : CALM_HOURS_DEFAULT;
        console().note("simulating " + length + " hours, which takes some seconds each");
        LightFaultReport report = new Simulation(options).runLightFaults(seeds.from(), length, SimulateCommand::heap);
        LightFaultRunPrinter.print(console(), seeds.from(), report);
        return LightFaultRunPrinter.result(arguments(), report).print(console());
    }

    private SeedRange range() {
        if (!isGiven("--hours")) {
            return seeds;
        }
        if (!(hours > 0 && hours <= 10_000)) {
            throw usageError("--hours is " + hours + ": use more than 0, at most 10000");
        }
        long count = Math.max(1, (long) Math.ceil(hours * 3_600 / seconds));
        return new SeedRange(seeds.from(), seeds.from() + count - 1);
    }

    private Plant plant() {
        for (Plant candidate : Plant.values()) {
            if (candidate.label().equals(plant.toLowerCase(Locale.ROOT))) {
                return candidate;
            }
        }
        throw usageError("Invalid value for option '--plant': '" + plant + "'; use one of "
                + String.join(
                        ", ", Arrays.stream(Plant.values()).map(Plant::label).toList()));
    }

    private Workload workload(Plant bug) {
        if (workload.isEmpty()) {
            return bug.workload();
        }
        for (Workload candidate : Workload.values()) {
            if (candidate.label().equals(workload.toLowerCase(Locale.ROOT))) {
                return candidate;
            }
        }
        throw usageError("Invalid value for option '--workload': '" + workload + "'; use one of "
                + String.join(
                        ", ",
                        Arrays.stream(Workload.values()).map(Workload::label).toList()));
    }

    private void print(SimulationReport report, SeedRange range) {
        console()
                .println("seeds %s: %.2f simulated hours, %,d operations (%.1f a second), %,d events"
                        .formatted(
                                range,
                                report.hours(),
                                report.operations(),
                                report.operationsPerSecond(),
                                report.events()));
        console()
                .println("operations: %,d updates, %,d reads; %,d ended with an error"
                        .formatted(report.updates(), report.reads(), report.failures()));
        console().println("segments dropped from logs: %,d".formatted(report.segmentsDropped()));
        console()
                .println(
                        "replicas compared: %,d pairs; disks checked when a version was committed: %,d; longest in doubt: %.1f s"
                                .formatted(
                                        report.coverage().digests(),
                                        report.coverage().disks(),
                                        report.coverage().inDoubtNanosMax() / 1e9));
        console().println("faults that hit a running operation: %,d".formatted(report.faultCount()));
        report.faults().forEach((fault, count) -> console().println("  %-26s %,d".formatted(fault.label(), count)));
        console()
                .println("seeds with an actor that may have lost data and is not fully checked: %,d (%.1f %%)"
                        .formatted(report.excusedSeeds(), 100 * report.excusedShare()));
        report.excused().forEach((why, count) -> console().println("  %-46s %,d".formatted(why.reason(), count)));
        console().println("violations: " + report.violations());
        for (SeedReport seed : report.failed()) {
            console().println("seed " + seed.seed() + " (" + seed.scenario() + "):");
            seed.violations().forEach(violation -> console().println("  " + violation));
            console().println("  replay: " + replay(seed.seed()));
        }
        console().println("hash " + report.hash());
    }

    private String replay(long seed) {
        String line = "./uniserve simulate --seeds " + seed;
        line += seconds == FAULT_SECONDS_DEFAULT ? "" : " --seconds " + seconds;
        line += workload.isEmpty() ? "" : " --workload " + workload;
        line += rebalance ? " --rebalance" : "";
        line += scale ? " --scale" : "";
        line += plant.equals("none") ? "" : " --plant " + plant;
        return line + " --trace";
    }

    private ResultLine result(SimulationReport report, SeedRange range, Plant bug) {
        Map<String, Object> faults = new LinkedHashMap<>();
        report.faults().forEach((fault, count) -> faults.put(fault.label(), count));
        ResultLine line = ResultLine.of("simulate", arguments());
        if (bug == Plant.NONE) {
            line.figure(BenchmarkMetric.atMost("violations", report.violations(), 0));
            line.figure(BenchmarkMetric.atLeast(
                    "operations a simulated second", report.operationsPerSecond(), OPERATIONS_PER_SECOND_GOAL));
        } else {
            long found = report.failed().stream()
                    .flatMap(seed -> seed.violations().stream())
                    .filter(violation -> bug.codes().contains(violation.invariant()))
                    .count();
            String codes = String.join(", ", bug.codes());
            line.figure(BenchmarkMetric.atLeast("violations of " + codes + " found with " + bug.label(), found, 1));
        }
        return line.with("seeds", range.toString())
                .with("hours", report.hours())
                .with("operations", report.operations())
                .with("faults", report.faultCount())
                .with("faultsByKind", faults)
                .with("segmentsDropped", report.segmentsDropped())
                .with("replicasCompared", report.coverage().digests())
                .with("disksLookedAt", report.coverage().disks())
                .with("longestDoubtSeconds", report.coverage().inDoubtNanosMax() / 1e9)
                .with("excusedSeeds", report.excusedSeeds())
                .with("violations", report.violations())
                .with("hash", report.hash());
    }

    /** Returns the bytes in use after a garbage collection. */
    private static long heap() {
        Runtime runtime = Runtime.getRuntime();
        System.gc();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
