package io.uniserve.benchmark.simulate;

import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.Console;
import io.uniserve.simulator.LightFaultReport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Output of {@code simulate --calm}. */
final class LightFaultRunPrinter {
    private static final double FAULTS_PER_HOUR_GOAL = 200;

    private LightFaultRunPrinter() {}

    static void print(Console console, long seed, LightFaultReport report) {
        console.println("seed %d: %.1f simulated hours, %,d operations, %,d ended with an error"
                .formatted(seed, report.hours(), report.operations(), report.failures()));
        console.println("faults that hit a running operation: %,.0f per hour".formatted(report.faultsPerHour()));
        report.faults().forEach((fault, count) -> console.println("  %-26s %,d".formatted(fault.label(), count)));
        console.println("segments dropped from logs: %,d".formatted(report.segmentsDropped()));
        console.println("%-42s %14s %14s".formatted("the most of", "first hour", "all hours"));
        report.highest()
                .forEach((what, most) -> console.println(
                        "%-42s %,14d %,14d".formatted(what, report.firstHour().getOrDefault(what, 0L), most)));
        console.println("violations: " + report.violationCount());
        report.violations().forEach(violation -> console.println("  " + violation));
        console.println("hash " + report.hash());
    }

    static ResultLine result(List<String> arguments, LightFaultReport report) {
        Map<String, Object> faults = new LinkedHashMap<>();
        report.faults().forEach((fault, count) -> faults.put(fault.label(), count));
        return ResultLine.of("simulate", arguments)
                .figure(BenchmarkMetric.atMost("violations", report.violationCount(), 0))
                .figure(BenchmarkMetric.atLeast("faults an hour", report.faultsPerHour(), FAULTS_PER_HOUR_GOAL))
                .with("hours", report.hours())
                .with("operations", report.operations())
                .with("faultsByKind", faults)
                .with("segmentsDropped", report.segmentsDropped())
                .with("firstHour", report.firstHour())
                .with("most", report.highest())
                .with("hash", report.hash());
    }
}
