package io.uniserve.benchmark.ycsb;

import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.Console;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Rows, figures and failures of all parts. Not thread-safe. */
final class YcsbReport {
    private final Console console;
    private final List<String> rows = new ArrayList<>();
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();
    private final Map<String, Object> fields = new LinkedHashMap<>();
    private long operations;
    private long verified;

    YcsbReport(Console console) {
        this.console = console;
    }

    /** Adds a row of the output, and shows it as progress. */
    void row(String format, Object... values) {
        String row = String.format(Locale.ROOT, format, values);
        rows.add(row);
        console.note(row);
    }

    void figure(BenchmarkMetric figure) {
        figures.add(figure);
    }

    /** Adds what was not measured, and why. */
    void skip(String what) {
        row("SKIPPED %s", what);
        skipped.add(what);
    }

    /** Adds a run: a row per kind of operation, and what failed. */
    void run(String label, YcsbClientProcess.Load load, YcsbClientProcess.Run run) {
        YcsbOutput output = run.output();
        output.failures().forEach(failure -> failures.add(label + ": " + failure));
        if (output.transactions() != load.operations()) {
            failures.add(label + ": " + output.transactions() + " of " + load.operations() + " operations");
        }
        operations += output.transactions();
        verified += output.verified();
        for (YcsbOutput.Latencies each : output.latencies(load.target() > 0)) {
            row(
                    "%-34s %-7s %8.0f op/s  p50 %8.0f  p95 %8.0f  p99 %8.0f us  CPU %7.3f ms/op  %d",
                    label,
                    each.operation(),
                    run.perSecond(),
                    each.p50(),
                    each.p95(),
                    each.p99(),
                    run.cpuMsPerOperation(),
                    each.count());
        }
    }

    void field(String name, Object value) {
        fields.put(name, value);
    }

    /** Prints the rows and adds all figures to the result. */
    void print(ResultLine line) {
        rows.forEach(console::println);
        failures.forEach(failure -> console.println("FAILED " + failure));
        figures.forEach(line::figure);
        fields.forEach(line::with);
        line.with("operations", operations)
                .with("verifiedRows", verified)
                .with("skipped", skipped)
                .with("failures", failures.size())
                .require(failures.isEmpty());
    }
}
