package io.uniserve.cli.bench.failures;

import io.uniserve.cli.demo.EuroparlCorpus;
import io.uniserve.cli.process.ProcessClusterOptions;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Set;

/** Runs the chosen scenarios: those of key-value tables in one cluster, the queries in another. Not thread-safe. */
final class FailuresBench {
    private static final int SERVERS = 3;

    private final ResultCollector findings;
    private final FailureBenchScale scale;
    private final Map<String, String> settings;
    private final boolean brief;
    private final Path directory;

    FailuresBench(
            ResultCollector findings,
            FailureBenchScale scale,
            Map<String, String> settings,
            boolean brief,
            Path directory) {
        this.findings = findings;
        this.scale = scale;
        this.settings = Map.copyOf(settings);
        this.brief = brief;
        this.directory = directory;
    }

    private ProcessClusterOptions options(String name, int servers, String port) {
        ProcessClusterOptions options =
                ProcessClusterOptions.of(directory.resolve(name), servers, port).with(settings);
        return brief ? options.brief() : options;
    }

    /** Runs these and writes the plot of the queries, if they are among them. */
    void run(Set<FailureScenario> chosen, Path svg) {
        if (chosen.stream().anyMatch(scenario -> scenario != FailureScenario.QUERIES)) {
            keyValue(chosen);
        }
        for (int time = 1; chosen.contains(FailureScenario.QUERIES) && time <= scale.repeat(); time++) {
            queries(time, svg);
        }
    }

    private void keyValue(Set<FailureScenario> chosen) {
        findings.note("starting " + SERVERS + " servers with the port kv");
        try (FailingCluster cluster = FailingCluster.start(options("kv", SERVERS, "kv"), findings.nanos())) {
            ScenarioTables tables = new ScenarioTables(findings, cluster, scale.rows());
            for (FailureScenario scenario : FailureScenario.values()) {
                if (chosen.contains(scenario)) {
                    run(scenario, cluster, tables);
                }
            }
        }
    }

    private void run(FailureScenario scenario, FailingCluster cluster, ScenarioTables tables) {
        switch (scenario) {
            case PRIMARY -> new KilledPrimary(findings, cluster, tables).run(scale.primaries());
            case COORDINATOR -> new KilledCoordinator(findings, cluster, tables).run(scale.coordinators());
            case STOPPED -> new StoppedServer(findings, cluster, tables).run(scale.repeat(), scale.stopSeconds());
            case CLUSTER -> new WholeClusterFailure(findings, cluster, tables).run(scale.clusters());
            case DISK -> new LostDisk(findings, cluster, tables).run(scale.repeat());
            case QUERIES -> findings.note("queries follow in a cluster of their own");
        }
    }

    private void queries(int time, Path svg) {
        int servers = Math.max(KilledUnderQueries.SERVERS_MIN, Collections.max(scale.rfs()));
        findings.note("starting " + servers + " servers with the port solr");
        ProcessClusterOptions options = options("solr" + time, servers, "solr");
        try (FailingCluster cluster = FailingCluster.start(options, findings.nanos())) {
            KilledUnderQueries queries = new KilledUnderQueries(
                    findings, cluster, EuroparlCorpus.read(options.java().home(), scale.documents()));
            Files.writeString(svg, FailurePlot.svg(queries.run(scale.rfs(), scale.minutes())));
            findings.say("plot: %s", svg);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "--svg: cannot write " + svg, e);
        }
    }
}
