package io.uniserve.benchmark.measure;

import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.Console;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Aggregation of figures over several launches of the same processes. The places of primaries and the work of compilers differ per launch,
 * so a single launch is not enough for a figure near its goal. It uses geometric means, because the ratio of geometric means equals the
 * mean of the ratios.
 */
public final class LaunchAggregator {
    private LaunchAggregator() {}

    /** Launch: it starts the processes, measures, and ends them. */
    public interface Launch {
        /** Returns the figures of this launch. */
        List<BenchmarkMetric> run() throws IOException;
    }

    /** Runs this many launches. The raw output and the console show the start of each. */
    public static List<List<BenchmarkMetric>> run(int count, RawResultWriter log, Console console, Launch launch)
            throws IOException {
        List<List<BenchmarkMetric>> figures = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            log.line("launch", number);
            if (count > 1) {
                console.println("launch " + number + " of " + count);
            }
            figures.add(launch.run());
        }
        return figures;
    }

    /** @param launches the figures of each launch, all with a peer; every launch has the same figures in the same order */
    public static List<BenchmarkMetric> pool(List<List<BenchmarkMetric>> launches) {
        List<BenchmarkMetric> pooled = new ArrayList<>();
        for (int at = 0; at < launches.get(0).size(); at++) {
            List<BenchmarkMetric> each = figuresAt(launches, at);
            BenchmarkMetric first = each.get(0);
            double ratio = mean(each, LaunchAggregator::ratio);
            pooled.add(new BenchmarkMetric(
                    first.name(),
                    mean(each, BenchmarkMetric::measured),
                    mean(each, figure -> Objects.requireNonNull(figure.peer(), figure.name())),
                    ratio,
                    first.goal(),
                    ratio >= first.goal()));
        }
        return pooled;
    }

    /** Returns one line per figure, for figures in which less is better, as ours / peer: of every launch, and their mean. */
    public static List<String> costs(List<List<BenchmarkMetric>> launches) {
        return rows(launches, "ours divided by the peer's", ratio -> 1 / ratio);
    }

    /** Returns one line per figure, with values above 1 if ours is better: of every launch, and their mean. */
    public static List<String> gains(List<List<BenchmarkMetric>> launches) {
        return rows(launches, "above 1 if ours is better", ratio -> ratio);
    }

    private static List<String> rows(List<List<BenchmarkMetric>> launches, String title, DoubleUnaryOperator shown) {
        List<String> rows = new ArrayList<>();
        List<BenchmarkMetric> pooled = pool(launches);
        rows.add("of " + launches.size() + " launches, " + title + ": each, geometric mean, goal");
        for (int at = 0; at < pooled.size(); at++) {
            String each = figuresAt(launches, at).stream()
                    .map(figure -> String.format(Locale.ROOT, "%.2f", shown.applyAsDouble(ratio(figure))))
                    .collect(Collectors.joining(" "));
            BenchmarkMetric mean = pooled.get(at);
            rows.add(String.format(
                    Locale.ROOT,
                    "%-80s %s, mean %.3f, goal %.1f: %s",
                    mean.name(),
                    each,
                    shown.applyAsDouble(ratio(mean)),
                    shown.applyAsDouble(mean.goal()),
                    mean.met() ? "met" : "not met"));
        }
        return rows;
    }

    private static List<BenchmarkMetric> figuresAt(List<List<BenchmarkMetric>> launches, int at) {
        return launches.stream().map(figures -> figures.get(at)).toList();
    }

    private static double ratio(BenchmarkMetric figure) {
        return Objects.requireNonNull(figure.ratio(), figure.name());
    }

    private static double mean(List<BenchmarkMetric> figures, ToDoubleFunction<BenchmarkMetric> value) {
        double logs = figures.stream()
                .mapToDouble(figure -> Math.log(value.applyAsDouble(figure)))
                .sum();
        return Math.exp(logs / figures.size());
    }
}
