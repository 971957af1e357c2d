package io.uniserve.benchmark.failures;

import io.uniserve.benchmark.demo.EuroparlCorpus;
import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Set;

/** Runner of the chosen scenarios: key-value scenarios in one cluster, the query scenario in another. Not thread-safe. */
final class FailuresBench {
    private static final int SERVERS = 3;

    private final ResultCollector resultCollector;
    private final FailureBenchScale failureBenchScale;
    private final Map<String, String> settings;
    private final boolean brief;
    private final Path directory;

    FailuresBench(
            ResultCollector resultCollector,
            FailureBenchScale failureBenchScale,
            Map<String, String> settings,
            boolean brief,
            Path directory) {
        this.resultCollector = resultCollector;
        this.failureBenchScale = failureBenchScale;
        this.settings = Map.copyOf(settings);
        this.brief = brief;
        this.directory = directory;
    }

    private ProcessClusterOptions options(String name, int servers, String port) {
        ProcessClusterOptions options =
                ProcessClusterOptions.of(directory.resolve(name), servers, port).with(settings);
        return brief ? options.withFastStart() : options;
    }

    /** Runs these scenarios, and writes the plot of the query scenario if it is among them. */
    void run(Set<FailureScenario> chosen, Path svg) {
        if (chosen.stream().anyMatch(failureScenario -> failureScenario != FailureScenario.QUERIES)) {
            runKeyValueScenarios(chosen);
        }
        for (int time = 1; chosen.contains(FailureScenario.QUERIES) && time <= failureBenchScale.repeat(); time++) {
            queries(time, svg);
        }
    }

    private void runKeyValueScenarios(Set<FailureScenario> chosen) {
        resultCollector.note("starting " + SERVERS + " servers with the port kv");
        try (FailingCluster cluster = FailingCluster.start(options("kv", SERVERS, "kv"), resultCollector.nanos())) {
            ScenarioTables scenarioTables = new ScenarioTables(resultCollector, cluster, failureBenchScale.rows());
            for (FailureScenario failureScenario : FailureScenario.values()) {
                if (chosen.contains(failureScenario)) {
                    run(failureScenario, cluster, scenarioTables);
                }
            }
        }
    }

    private void run(FailureScenario failureScenario, FailingCluster cluster, ScenarioTables scenarioTables) {
        switch (failureScenario) {
            case PRIMARY ->
                new KillPrimaryScenario(resultCollector, cluster, scenarioTables).run(failureBenchScale.primaries());
            case COORDINATOR ->
                new KillCoordinatorScenario(resultCollector, cluster, scenarioTables)
                        .run(failureBenchScale.coordinators());
            case STOPPED ->
                new StopServerScenario(resultCollector, cluster, scenarioTables)
                        .run(failureBenchScale.repeat(), failureBenchScale.stopSeconds());
            case CLUSTER ->
                new WholeClusterFailureScenario(resultCollector, cluster, scenarioTables)
                        .run(failureBenchScale.clusters());
            case DISK -> new DiskLossScenario(resultCollector, cluster, scenarioTables).run(failureBenchScale.repeat());
            case QUERIES -> resultCollector.note("queries follow in a cluster of their own");
        }
    }

    private void queries(int time, Path svg) {
        int servers = Math.max(KillUnderQueriesScenario.SERVERS_MIN, Collections.max(failureBenchScale.rfs()));
        resultCollector.note("starting " + servers + " servers with the port solr");
        ProcessClusterOptions options = options("solr" + time, servers, "solr");
        try (FailingCluster cluster = FailingCluster.start(options, resultCollector.nanos())) {
            KillUnderQueriesScenario queries = new KillUnderQueriesScenario(
                    resultCollector,
                    cluster,
                    EuroparlCorpus.read(options.java().home(), failureBenchScale.documents()));
            Files.writeString(svg, FailurePlot.svg(queries.run(failureBenchScale.rfs(), failureBenchScale.minutes())));
            resultCollector.print("plot: %s", svg);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "--svg: cannot write " + svg, e);
        }
    }
}
