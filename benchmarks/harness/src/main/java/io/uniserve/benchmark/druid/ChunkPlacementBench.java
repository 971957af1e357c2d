package io.uniserve.benchmark.druid;

import io.uniserve.benchmark.measure.CpuQuota;
import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.Console;
import io.uniserve.placement.timeorder.ChunkPolicies;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * EASY, Spread and BalanceNum on real servers: p99 of queries and deviation of CPU among servers, per scenario. Each run has a new cluster.
 * The order of the policies rotates, so that a change of the machine's speed affects all. Not thread-safe.
 */
final class ChunkPlacementBench {
    private static final double P99 = 0.99;
    private static final double PERCENT = 100;

    private final Path directory;
    private final Settings settings;
    private final Console console;
    private final LongSupplier nanos;
    private final RawResultWriter raw;
    private final Map<ChunkScenario, Map<String, List<ChunkPlacementRun.Outcome>>> outcomes = new LinkedHashMap<>();
    private final List<String> rows = new ArrayList<>();

    /**
     * Options of the part.
     *
     * @param repeats runs per scenario and policy
     */
    record Settings(
            List<ChunkScenario> scenarios,
            int servers,
            String heap,
            double perSecond,
            double unitSeconds,
            int settleUnits,
            double seconds,
            double quota,
            int repeats) {}

    ChunkPlacementBench(Path directory, Settings settings, Console console, LongSupplier nanos, RawResultWriter raw) {
        this.directory = directory;
        this.settings = settings;
        this.console = console;
        this.nanos = nanos;
        this.raw = raw;
    }

    /** Runs all scenarios under all policies. */
    void run() {
        boolean limited = settings.quota() > 0 && CpuQuota.isPossible();
        double quota = limited ? settings.quota() : 0;
        String servers = settings.servers() + " servers"
                + (limited
                        ? String.format(Locale.ROOT, " with %.2f cores each (control groups)", quota)
                        : settings.quota() > 0
                                ? " WITHOUT a CPU limit: control groups are not writable"
                                : " without a CPU limit");
        rows.add(String.format(
                Locale.ROOT,
                "part easy: %s, %.0f queries/s, a chunk every %.1f s, %.0f s measured",
                servers,
                settings.perSecond(),
                settings.unitSeconds(),
                settings.seconds()));
        console.note(rows.get(0));
        int number = 0;
        for (int repeat = 0; repeat < settings.repeats(); repeat++) {
            for (ChunkScenario scenario : settings.scenarios()) {
                for (int i = 0; i < ChunkPolicies.names().size(); i++) {
                    List<String> names = ChunkPolicies.names();
                    run(scenario, names.get((i + number) % names.size()), quota);
                }
                number++;
            }
        }
        settings.scenarios().forEach(this::summarize);
    }

    private void run(ChunkScenario scenario, String policy, double quota) {
        String name = name(scenario) + ", " + policy;
        console.note("starting " + settings.servers() + " servers for " + name);
        int number = outcomes.values().stream()
                .flatMap(all -> all.values().stream())
                .mapToInt(List::size)
                .sum();
        try (ChunkCluster cluster = new ChunkCluster(
                directory.resolve("easy-" + number),
                settings.servers(),
                settings.heap(),
                policy,
                settings.unitSeconds())) {
            ChunkPlacementRun.Load load = new ChunkPlacementRun.Load(
                    settings.perSecond(), settings.unitSeconds(), settings.settleUnits(), settings.seconds(), quota);
            ChunkPlacementRun.Outcome outcome = new ChunkPlacementRun(cluster, scenario, load, console, nanos).run();
            outcomes.computeIfAbsent(scenario, any -> new LinkedHashMap<>())
                    .computeIfAbsent(policy, any -> new ArrayList<>())
                    .add(outcome);
            for (long latency : outcome.latencies()) {
                raw.line("easy", name(scenario), policy, number, latency);
            }
            rows.add(row(name, outcome));
            if (policy.equals(ChunkPolicies.EASY)) {
                rows.addAll(outcome.explanation());
            }
            console.note(row(name, outcome));
        }
    }

    private static String name(ChunkScenario scenario) {
        return scenario.name().toLowerCase(Locale.ROOT);
    }

    private static String row(String name, ChunkPlacementRun.Outcome outcome) {
        return String.format(
                Locale.ROOT,
                "%-20s %6d queries, %d failed, %d wrong, p50 %7.1f ms, p99 %7.1f ms, CPU of a server %.3f cores,"
                        + " deviation %.4f (%.0f %%), actors per server %s%s",
                name,
                outcome.latencies().length,
                outcome.failed(),
                outcome.wrong(),
                outcome.percentileMillis(0.5),
                outcome.percentileMillis(P99),
                outcome.mean(),
                outcome.deviation(),
                PERCENT * outcome.deviation() / outcome.mean(),
                outcome.actors(),
                outcome.problem().isEmpty() ? "" : "; first problem: " + outcome.problem());
    }

    private void summarize(ChunkScenario scenario) {
        StringBuilder line = new StringBuilder(name(scenario) + ", relative to easy:");
        for (String policy : ChunkPolicies.names()) {
            if (!policy.equals(ChunkPolicies.EASY)) {
                line.append(String.format(
                        Locale.ROOT,
                        " %s p99 %.2f, deviation %.2f;",
                        policy,
                        p99(scenario, policy) / p99(scenario, ChunkPolicies.EASY),
                        deviation(scenario, policy) / deviation(scenario, ChunkPolicies.EASY)));
            }
        }
        rows.add(line.substring(0, line.length() - 1));
    }

    private List<ChunkPlacementRun.Outcome> of(ChunkScenario scenario, String policy) {
        return outcomes.getOrDefault(scenario, Map.of()).getOrDefault(policy, List.of());
    }

    /** The percentile of the queries of all repeats, in milliseconds. */
    private double p99(ChunkScenario scenario, String policy) {
        long[] all = of(scenario, policy).stream()
                .flatMapToLong(outcome -> Arrays.stream(outcome.latencies()))
                .sorted()
                .toArray();
        return all.length == 0
                ? Double.NaN
                : all[Math.min(all.length - 1, (int) Math.ceil(P99 * all.length) - 1)] / 1e6;
    }

    /** Deviation among servers relative to their mean: the average of all repeats. */
    private double deviation(ChunkScenario scenario, String policy) {
        return of(scenario, policy).stream()
                .mapToDouble(outcome -> outcome.deviation() / outcome.mean())
                .average()
                .orElse(Double.NaN);
    }

    /** Adds all rows and figures. An answer that is wrong, or a query that failed, makes the run fail. */
    void report(ResultLine line) {
        rows.forEach(console::println);
        int failed = 0;
        int wrong = 0;
        for (ChunkScenario scenario : settings.scenarios()) {
            for (String policy : ChunkPolicies.names()) {
                failed += of(scenario, policy).stream()
                        .mapToInt(ChunkPlacementRun.Outcome::failed)
                        .sum();
                wrong += of(scenario, policy).stream()
                        .mapToInt(ChunkPlacementRun.Outcome::wrong)
                        .sum();
                if (!policy.equals(ChunkPolicies.EASY)) {
                    String name = "easy, " + name(scenario) + " against " + policy + ": ";
                    line.figure(BenchmarkMetric.lessIsBetter(
                            name + "p99 ms", p99(scenario, ChunkPolicies.EASY), p99(scenario, policy), 1));
                    line.figure(BenchmarkMetric.lessIsBetter(
                            name + "deviation of CPU",
                            deviation(scenario, ChunkPolicies.EASY),
                            deviation(scenario, policy),
                            1));
                }
            }
        }
        line.figure(BenchmarkMetric.atMost("easy: failed", failed, 0));
        line.figure(BenchmarkMetric.atMost("easy: wrong", wrong, 0));
    }
}
