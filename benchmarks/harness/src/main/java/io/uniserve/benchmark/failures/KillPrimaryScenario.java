package io.uniserve.benchmark.failures;

import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.testkit.process.DaemonProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Scenario: kill of the server with the most primaries. Measures the time until updates of its actors succeed again. */
final class KillPrimaryScenario {
    private static final double P50_GOAL = 3;
    private static final double P99_GOAL = 8;

    private final ResultCollector resultCollector;
    private final FailingCluster cluster;
    private final ScenarioTables scenarioTables;
    private final List<Double> outageSeconds = new ArrayList<>();

    KillPrimaryScenario(ResultCollector resultCollector, FailingCluster cluster, ScenarioTables scenarioTables) {
        this.resultCollector = resultCollector;
        this.cluster = cluster;
        this.scenarioTables = scenarioTables;
    }

    void run(int kills) {
        String table = "primary";
        ProgressBar progress = resultCollector.progress("killing primaries", kills);
        try (RowWorkload load = scenarioTables.createTable(table, 2)) {
            load.write()
                    .read(cluster.client().table(table))
                    .read(cluster.client().table(table));
            scenarioTables.awaitUpdates(load);
            for (int kill = 1; kill <= kills; kill++) {
                kill(table, load, kill);
                progress.update(
                        kill, String.format(Locale.ROOT, "%.2f s", outageSeconds.get(outageSeconds.size() - 1)));
            }
            progress.finish();
            load.close();
            resultCollector.atMost(
                    "primary: gap of updates, p50 s", ResultCollector.percentile(outageSeconds, 0.5), P50_GOAL);
            resultCollector.atMost(
                    "primary: gap of updates, p99 s", ResultCollector.percentile(outageSeconds, 0.99), P99_GOAL);
            resultCollector.print(
                    "%d gaps by %d kills, longest %.2f s",
                    outageSeconds.size(), kills, ResultCollector.maxOf(outageSeconds));
            load.report("primary", resultCollector);
            scenarioTables.compareAndDrop(table, load, "primary");
        }
    }

    private void kill(String table, RowWorkload load, int kill) {
        ServerId victim = cluster.busiest(table);
        List<ActorState> orphans = cluster.route(table).map().actors().stream()
                .filter(actor -> actor.primary().equals(victim))
                .toList();
        DaemonProcess daemon = cluster.daemon(victim);
        long at = resultCollector.nanos().getAsLong();
        daemon.kill();
        for (ActorState actor : orphans) {
            cluster.await(
                    "an update of actor " + actor.actor() + " is acknowledged again",
                    () -> load.acknowledgedAfter(actor.actor(), actor.epoch()).isPresent());
            long again = load.acknowledgedAfter(actor.actor(), actor.epoch()).orElseThrow();
            outageSeconds.add((again - at) / ResultCollector.NANOS);
            resultCollector.raw("gap", "primary", kill, daemon.name(), actor.actor(), again - at);
        }
        cluster.processes().startServer(daemon.name());
        cluster.settle(table);
    }
}
