package io.uniserve.benchmark.measure;

import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ProgressBar;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Collector of results: figures with goals, printed as soon as they are known, and raw lines. Not thread-safe. */
public final class ResultCollector {
    public static final double NANOS = 1e9;

    private final LongSupplier nanos;
    private final RawResultWriter raw;
    private final Console console;
    private final List<BenchmarkMetric> figures = new ArrayList<>();

    public ResultCollector(LongSupplier nanos, RawResultWriter raw, Console console) {
        this.nanos = nanos;
        this.raw = raw;
        this.console = console;
    }

    public LongSupplier nanos() {
        return nanos;
    }

    /** Returns the seconds since this time. */
    public double secondsSince(long startNanos) {
        return (nanos.getAsLong() - startNanos) / NANOS;
    }

    public List<BenchmarkMetric> figures() {
        return List.copyOf(figures);
    }

    /** Adds a figure that is met if ours is at most the goal. */
    public void atMost(String name, double ours, double goal) {
        BenchmarkMetric figure = BenchmarkMetric.atMost(name, ours, goal);
        figures.add(figure);
        console.println(String.format(
                Locale.ROOT,
                "%s: %s (goal: at most %s): %s",
                name,
                number(ours),
                number(goal),
                figure.met() ? "met" : "NOT MET"));
    }

    /** Prints a line beside the figures. */
    public void print(String format, Object... arguments) {
        console.println("  " + String.format(Locale.ROOT, format, arguments));
    }

    /** Prints the current step on the error stream. */
    public void note(String line) {
        console.note(line);
    }

    public ProgressBar progress(String what, long total) {
        return new ProgressBar(console.err(), console.terminal(), nanos, what, total);
    }

    /** Writes a raw line, its fields separated by tabs. */
    public void raw(Object... fields) {
        raw.line(fields);
    }

    private static String number(double value) {
        return value == Math.rint(value) && Double.isFinite(value)
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.2f", value);
    }

    /** Returns the percentile; NaN for an empty list. */
    public static double percentile(List<Double> values, double share) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted.length == 0
                ? Double.NaN
                : sorted[Math.min(sorted.length - 1, (int) Math.ceil(share * sorted.length) - 1)];
    }

    /** Returns the largest value; NaN for an empty list. */
    public static double maxOf(List<Double> values) {
        return Arrays.stream(values.stream().mapToDouble(Double::doubleValue).toArray())
                .max()
                .orElse(Double.NaN);
    }
}
