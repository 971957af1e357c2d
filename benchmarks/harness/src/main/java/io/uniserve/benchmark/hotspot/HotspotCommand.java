package io.uniserve.benchmark.hotspot;

import io.uniserve.benchmark.balance.ServerQuota;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench hotspot}. */
@Command(
        name = "hotspot",
        description = {
            "Throughput of a table with one hot part, without and with automatic balancing, on several ports. Seven"
                    + " eighths of the queries ask one actor: one of eight by key, or one month of port druid. Each"
                    + " server is a process with a CPU quota. Clients send their next query when they have an answer.",
            "The same cluster is measured with balancing off, after --periods periods of the balancer, and with"
                    + " --copies-wait when the hot actor has a replica on every server. Every answer is compared with the rows. Port mongodb runs"
                    + " on its embedded mongo-java-server, which is not MongoDB."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench hotspot",
            "  uniserve bench hotspot --ports kv,solr --quota 0.1",
            "  uniserve bench hotspot --ports druid --sf 0.1 --seconds 30 --warm-up 30",
            "  uniserve bench hotspot --ports kv --copies-wait 120"
        })
public final class HotspotCommand extends CliCommand {
    /** Fewer rows do not give each actor enough keys for a range. */
    private static final int ROWS_MIN = 400;

    @Option(
            names = "--ports",
            split = ",",
            paramLabel = "PORT",
            description = "Ports to measure, one after the other (default: kv,solr,druid,mongodb).")
    private List<String> ports =
            List.of(HotspotPort.values()).stream().map(HotspotPort::port).toList();

    @Option(names = "--servers", paramLabel = "N", description = "Servers (default: 4).")
    private int servers = 4;

    @Option(names = "--heap", paramLabel = "SIZE", description = "Heap of each server (default: 512m).")
    private String heap = "512m";

    @Option(
            names = "--quota",
            paramLabel = "CORES",
            description = "CPU limit per server. Needs root; 0 for no limit (default: 0.2).")
    private double quota = 0.2;

    @Option(names = "--clients", paramLabel = "N", description = "Clients in a closed loop (default: 32).")
    private int clients = 32;

    @Option(names = "--seconds", paramLabel = "N", description = "Length of each measurement (default: 10).")
    private double seconds = 10;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description = "Queries of all parts without a CPU limit before the first measurement (default: 6).")
    private double warmUp = 6;

    @Option(names = "--period", paramLabel = "SECONDS", description = "Period of the balancer (default: 10).")
    private double period = 10;

    @Option(
            names = "--periods",
            paramLabel = "N",
            description = "Periods between the start of balancing and the second measurement, 1 to 3 (default: 3).")
    private int periods = 3;

    @Option(
            names = "--copies-wait",
            paramLabel = "SECONDS",
            description = "Measures a third time, when the hot actor has a replica on every server, or after this time"
                    + " (default: 0, no third measurement).")
    private double copiesWait;

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Rows of the tables of kv, solr and mongodb (default: 8000, 8000 and 800).")
    private int rows;

    @Option(names = "--sf", paramLabel = "N", description = "Scale factor of TPC-H for port druid (default: 0.01).")
    private double scale = 0.01;

    @Override
    public Integer call() throws IOException {
        HotspotSettings settings = settings();
        List<HotspotResult> results = new ArrayList<>();
        try (Workspace workspace = Workspace.temporary("uniserve-bench")) {
            HotspotBench bench = new HotspotBench(workspace.directory(), settings, console(), clock()::nanos);
            settings.ports().forEach(port -> results.add(bench.run(port)));
        }
        return report(results);
    }

    private int report(List<HotspotResult> results) {
        ResultLine line = ResultLine.of("bench hotspot", arguments());
        console().println(HotspotResult.header());
        results.forEach(result -> result.rows().forEach(console()::println));
        if (ports.contains(HotspotPort.MONGODB.port())) {
            console().println("port mongodb runs on mongo-java-server, which is not MongoDB");
        }
        results.stream()
                .flatMap(result -> result.messages().stream())
                .forEach(message -> console().println("FAILED " + message));
        long failed = results.stream().mapToLong(HotspotResult::failed).sum();
        long wrong = results.stream().mapToLong(HotspotResult::wrong).sum();
        results.forEach(result -> result.figures().forEach(line::figure));
        line.with("quota", quota)
                .with(
                        "queries",
                        results.stream().mapToLong(HotspotResult::queries).sum())
                .with("failed", failed)
                .with("wrong", wrong)
                .with("servers", servers)
                .with("clients", clients)
                .with("periodSeconds", period)
                .with("heap", heap)
                .with("cores", Runtime.getRuntime().availableProcessors())
                .with("java", System.getProperty("java.version"));
        return line.require(failed == 0 && wrong == 0).print(console());
    }

    private HotspotSettings settings() {
        List<HotspotPort> chosen = new ArrayList<>();
        for (String name : ports) {
            try {
                chosen.add(HotspotPort.named(name));
            } catch (UniserveException e) {
                throw usageError(e.reason());
            }
        }
        checkNumbers();
        HotspotSettings settings = new HotspotSettings(
                chosen.stream().distinct().toList(),
                servers,
                heap,
                clients,
                seconds,
                warmUp,
                period,
                periods,
                copiesWait,
                quota,
                rows,
                scale);
        if (ServerQuota.of(quota).isRefused()) {
            throw usageError("--quota is " + quota + ": this process may not create control groups. Run it as root, or"
                    + " use --quota 0 for servers without a limit");
        }
        return settings;
    }

    private void checkNumbers() {
        checkRange("--servers", servers, 2, 16);
        checkRange("--clients", clients, 1, 1_024);
        checkRange("--periods", periods, 1, 3);
        if (isGiven("--rows")) {
            checkRange("--rows", rows, ROWS_MIN, 10_000_000);
        }
        checkSeconds("--seconds", seconds, 0.1, 3_600);
        checkSeconds("--warm-up", warmUp, 0, 3_600);
        checkSeconds("--period", period, 0.5, 3_600);
        checkSeconds("--copies-wait", copiesWait, 0, 3_600);
        if (!(scale >= 0.001 && scale <= 1)) {
            throw usageError("--sf is " + scale + ": use 0.001 to 1");
        }
        if (!(quota == 0 || (quota >= 0.01 && quota <= 64))) {
            throw usageError("--quota is " + quota + ": use 0.01 to 64, or 0 for no limit");
        }
        if (!heap.matches("\\d{1,6}[mg]")) {
            throw usageError("--heap is \"" + heap + "\": use a number and m or g, e.g. 512m");
        }
    }

    private void checkSeconds(String option, double value, double min, double max) {
        if (!(value >= min && value <= max)) {
            throw usageError(option + " is " + value + ": use " + min + " to " + max + " seconds");
        }
    }
}
