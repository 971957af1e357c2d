package io.uniserve.benchmark.ycsb;

import io.uniserve.benchmark.chart.LineChart;
import io.uniserve.benchmark.result.BenchmarkMetric;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Part core: YCSB's workloads at a target rate, one side after the other. Figures without a goal have goal 0. */
final class YcsbCoreBench {
    private static final double NO_GOAL = 0;

    private final YcsbSettings settings;
    private final YcsbClientProcess client;
    private final YcsbReport report;
    private final Map<String, List<double[]>> lines = new LinkedHashMap<>();

    YcsbCoreBench(YcsbSettings settings, YcsbClientProcess client, YcsbReport report) {
        this.settings = settings;
        this.client = client;
        this.report = report;
    }

    /** @param sides Uniserve first, with rows of YCSB's load */
    void run(YcsbPort port, List<YcsbSide> sides) {
        report.row(
                "part core, port %s: target %d op/s, %d threads; latencies from the intended start",
                port.port(), settings.target(), settings.threads());
        for (int number = 0; number < settings.workloads().size(); number++) {
            YcsbWorkload workload = settings.workloads().get(number);
            if (workload.scans() && !port.scans()) {
                report.skip("workload " + workload.name() + " of port " + port.port()
                        + ": its language (count, phrase, near) has no range of keys");
                continue;
            }
            run(port, workload, number, sides);
        }
    }

    private void run(YcsbPort port, YcsbWorkload workload, int number, List<YcsbSide> sides) {
        YcsbClientProcess.Load load = settings.load(settings.operations(), settings.target());
        Map<YcsbSide, YcsbClientProcess.Run> runs = new LinkedHashMap<>();
        for (int i = 0; i < sides.size(); i++) {
            // Another side comes first in each workload.
            YcsbSide side = sides.get((i + number) % sides.size());
            YcsbClientProcess.Run run = client.run(side, workload, load);
            runs.put(side, run);
            report.run(port.port() + " " + workload.name() + " " + side.name(), load, run);
            run.output().latencies(true).stream()
                    .filter(each -> !each.operation().equals("INSERT"))
                    .findFirst()
                    .ifPresent(each -> {
                        plot(side.name() + " p99", workload, each.p99());
                        plot(side.name() + " p50", workload, each.p50());
                    });
        }
        compare("core " + port.port() + " " + workload.name(), sides.get(0), runs);
    }

    private void compare(String label, YcsbSide side, Map<YcsbSide, YcsbClientProcess.Run> runs) {
        YcsbClientProcess.Run ours = Objects.requireNonNull(runs.get(side));
        runs.forEach((other, peer) -> {
            if (other.equals(side)) {
                return;
            }
            String name = label + " over " + other.name() + ": ";
            for (YcsbOutput.Latencies mine : ours.output().latencies(true)) {
                peer.output().latencies(true).stream()
                        .filter(theirs -> theirs.operation().equals(mine.operation()))
                        .forEach(theirs -> report.figure(BenchmarkMetric.lessIsBetter(
                                name + mine.operation() + " p99 us", mine.p99(), theirs.p99(), NO_GOAL)));
            }
            report.figure(BenchmarkMetric.lessIsBetter(
                    name + "CPU ms per operation", ours.cpuMsPerOperation(), peer.cpuMsPerOperation(), NO_GOAL));
            report.figure(BenchmarkMetric.moreIsBetter(name + "op/s", ours.perSecond(), peer.perSecond(), NO_GOAL));
        });
    }

    /** The workload's place in the alphabet is its place on the axis: 1 is A. */
    private void plot(String line, YcsbWorkload workload, double micros) {
        lines.computeIfAbsent(line, any -> new ArrayList<>())
                .add(new double[] {workload.name().charAt(0) - 'a' + 1, Math.max(1, micros)});
    }

    /** Returns latencies by workload as SVG, of the first kind of operation but inserts. */
    String svg(YcsbPort port) {
        LineChart chart = new LineChart(
                "YCSB on port " + port.port() + ", " + settings.target() + " op/s: latency from the intended start",
                "workload: 1 is A, 6 is F",
                "us",
                false,
                true);
        lines.forEach((name, points) -> {
            points.sort(java.util.Comparator.comparingDouble(point -> point[0]));
            chart.line(name, points);
        });
        return chart.svg();
    }
}
