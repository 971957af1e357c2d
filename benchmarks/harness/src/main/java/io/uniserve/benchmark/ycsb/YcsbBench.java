package io.uniserve.benchmark.ycsb;

import io.uniserve.cli.command.Console;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** All parts of {@code bench ycsb}, one port after the other. Not thread-safe. */
final class YcsbBench {
    private static final int BATCH = 100;

    private final Path directory;
    private final YcsbSettings settings;
    private final Console console;
    private final LongSupplier nanos;
    private final YcsbReport report;
    private final YcsbClientProcess client;

    YcsbBench(Path directory, YcsbSettings settings, Console console, LongSupplier nanos) {
        this.directory = directory;
        this.settings = settings;
        this.console = console;
        this.nanos = nanos;
        this.report = new YcsbReport(console);
        this.client = new YcsbClientProcess(directory.resolve("ycsb"), settings.raw(), console, nanos);
    }

    YcsbReport report() {
        return report;
    }

    void run() {
        settings.ports().stream().distinct().forEach(this::run);
    }

    private void run(YcsbPort port) {
        Path home = directory.resolve(port.port());
        console.note("port " + port.port() + ": starting ZooKeeper, coordinator, " + settings.servers()
                + " servers, and " + (settings.servers() + 1) + " processes of " + port.engine());
        try (UniserveYcsbCluster cluster =
                        new UniserveYcsbCluster(port, home.resolve("uniserve"), settings.servers(), settings.heap());
                BareYcsbEngines one = new BareYcsbEngines(port, home.resolve("bare"), 1, settings.heap());
                BareYcsbEngines several =
                        new BareYcsbEngines(port, home.resolve("bares"), settings.servers(), settings.heap())) {
            report.row(
                    "port %s: %d servers, %d actors, rf %d, %d records; peers are %s, each behind a log with one fsync per"
                            + " group of updates, as Uniserve's servers have it",
                    port.port(),
                    settings.servers(),
                    settings.actors(),
                    settings.replicas(),
                    settings.records(),
                    port.engine());
            boolean core = settings.parts().contains(YcsbPart.CORE);
            boolean scans = settings.parts().contains(YcsbPart.SCANS);
            if (scans && !port.scans()) {
                report.skip("part scans of port " + port.port()
                        + ": its language (count, phrase, near) has no range of keys");
                scans = false;
            }
            if (core || scans) {
                List<YcsbSide> sides = List.of(
                        cluster.side(Map.of(
                                "uniserve.actors",
                                Integer.toString(settings.actors()),
                                "uniserve.replicas",
                                Integer.toString(settings.replicas()))),
                        one.side(),
                        several.side());
                sides.forEach(side -> client.load(side, YcsbWorkload.load("a"), settings.load(0, 0), BATCH));
                if (scans) {
                    new YcsbScanBench(settings, client, report).run(port, sides);
                }
                if (core) {
                    YcsbCoreBench part = new YcsbCoreBench(settings, client, report);
                    part.run(port, sides);
                    plot("ycsb-" + port.port() + ".svg", part.svg(port));
                }
            }
            if (settings.parts().contains(YcsbPart.BULK)) {
                new YcsbBulkBench(settings, report, nanos).run(port, cluster, one);
            }
            if (settings.parts().contains(YcsbPart.HOT)) {
                new YcsbHotBench(settings, client, report, nanos).run(port, cluster);
            }
        }
    }

    private void plot(String name, String svg) {
        Path folder = settings.plots();
        if (folder != null) {
            try {
                Files.createDirectories(folder);
                Files.writeString(folder.resolve(name), svg);
            } catch (IOException e) {
                throw new UniserveException(ErrorCode.IO, "--plots: cannot write " + folder.resolve(name), e);
            }
        }
    }
}
