package io.uniserve.benchmark.failures;

import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.client.ClientTable;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Scenario: every process is killed at once under a stream of updates and restarted. Measures lost rows and the time to recover. */
final class WholeClusterFailureScenario {
    private static final double GOAL = 30;

    private final ResultCollector resultCollector;
    private final FailingCluster cluster;
    private final ScenarioTables scenarioTables;
    private final List<Double> seconds = new ArrayList<>();
    private RowWorkload.Comparison comparison = RowWorkload.Comparison.NONE;
    private long updates;

    WholeClusterFailureScenario(
            ResultCollector resultCollector, FailingCluster cluster, ScenarioTables scenarioTables) {
        this.resultCollector = resultCollector;
        this.cluster = cluster;
        this.scenarioTables = scenarioTables;
    }

    void run(int kills) {
        ProgressBar progress = resultCollector.progress("killing the whole cluster", kills);
        for (int kill = 1; kill <= kills; kill++) {
            kill("cluster" + kill, kill);
            progress.update(kill, String.format(Locale.ROOT, "%.2f s", seconds.get(kill - 1)));
        }
        progress.finish();
        scenarioTables.addRowFigures("cluster", comparison);
        resultCollector.atMost(
                "cluster: serves again after the restart, longest s", ResultCollector.maxOf(seconds), GOAL);
        resultCollector.print(
                "%d kills, %d rows compared, %d updates acknowledged before", kills, comparison.rows(), updates);
    }

    private void kill(String table, int kill) {
        RowWorkload load = scenarioTables.createTable(table, 2).write();
        scenarioTables.awaitUpdates(load);
        scenarioTables.awaitUpdates(load);
        cluster.killAll();
        end(load, cluster.client());
        long at = resultCollector.nanos().getAsLong();
        cluster.startAll();
        ClientTable reopened = cluster.client().table(table);
        cluster.await("all actors answer and take updates", () -> isServing(load, reopened));
        long again = resultCollector.nanos().getAsLong();
        seconds.add((again - at) / ResultCollector.NANOS);
        resultCollector.raw("restart", "cluster", kill, again - at);
        comparison = comparison.plus(load.compare(reopened, "cluster", resultCollector));
        updates += load.updates();
        cluster.settle(table);
        cluster.client().admin().dropTable(table);
    }

    /** True if a row of each actor can be written and all rows can be counted. */
    private static boolean isServing(RowWorkload load, ClientTable table) {
        try {
            load.probe(table);
            return load.count(table).isEmpty();
        } catch (UniserveException e) {
            return false;
        }
    }

    /** Ends the load. Writers wait for their updates until their client is closed, so it is closed in parallel. */
    private static void end(RowWorkload load, UniserveClient client) {
        Thread closer = new Thread(client::close, "failures-closer");
        closer.start();
        load.close();
        try {
            closer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
