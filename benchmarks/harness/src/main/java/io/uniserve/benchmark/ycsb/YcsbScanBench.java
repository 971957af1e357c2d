package io.uniserve.benchmark.ycsb;

import io.uniserve.benchmark.result.BenchmarkMetric;
import java.util.List;

/** Part scans: scans of 1,000 to 2,000 items that read one field, as many as possible; the sides alternate. */
final class YcsbScanBench {
    private static final double GOAL = 1.0;
    private static final double NO_GOAL = 0;

    private final YcsbSettings settings;
    private final YcsbClientProcess client;
    private final YcsbReport report;

    YcsbScanBench(YcsbSettings settings, YcsbClientProcess client, YcsbReport report) {
        this.settings = settings;
        this.client = client;
        this.report = report;
    }

    /** @param sides Uniserve, the engine in one process, and its processes behind a scatter-gather client */
    void run(YcsbPort port, List<YcsbSide> sides) {
        YcsbWorkload workload = YcsbWorkload.load(YcsbWorkload.SCANS);
        YcsbClientProcess.Load load = settings.largeLoad(settings.scans());
        report.row(
                "part scans, port %s: %d scans per block of 1,000 to 2,000 items, one field; %d blocks per side, the first"
                        + " of each is not counted",
                port.port(), settings.scans(), settings.rounds() + 1);
        double[] millis = new double[sides.size()];
        for (int round = 0; round <= settings.rounds(); round++) {
            for (int i = 0; i < sides.size(); i++) {
                int at = (i + round) % sides.size();
                YcsbClientProcess.Run run = client.run(sides.get(at), workload, load);
                report.run(
                        port.port() + " scans " + sides.get(at).name() + (round == 0 ? ", not counted" : ""),
                        load,
                        run);
                millis[at] += round == 0 ? 0 : run.millis();
            }
        }
        double scans = 1_000.0 * settings.scans() * settings.rounds();
        for (int i = 1; i < sides.size(); i++) {
            boolean scatterGather = i == sides.size() - 1;
            report.figure(BenchmarkMetric.moreIsBetter(
                    "scans " + port.port() + " over " + sides.get(i).name() + ": scans/s",
                    scans / millis[0],
                    scans / millis[i],
                    scatterGather ? GOAL : NO_GOAL));
            report.row(
                    "scans %s: %.1f/s, %s %.1f/s, ratio %.2f",
                    port.port(), scans / millis[0], sides.get(i).name(), scans / millis[i], millis[i] / millis[0]);
        }
    }
}
