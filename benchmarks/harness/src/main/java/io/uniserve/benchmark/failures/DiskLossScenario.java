package io.uniserve.benchmark.failures;

import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.client.ClientTable;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.disk.DurableFileOperations;
import io.uniserve.testkit.process.DaemonProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Scenario: a server is lost for good together with its disk, after durable storage has everything. Its actors have no other replica.
 * Measures the time until all actors answer again, and checks that all rows are there.
 */
final class DiskLossScenario {
    private static final double GOAL = 30;

    private final ResultCollector resultCollector;
    private final FailingCluster cluster;
    private final ScenarioTables scenarioTables;
    private final List<Double> seconds = new ArrayList<>();
    private RowWorkload.Comparison comparison = RowWorkload.Comparison.NONE;
    private long shippedEntries;

    DiskLossScenario(ResultCollector resultCollector, FailingCluster cluster, ScenarioTables scenarioTables) {
        this.resultCollector = resultCollector;
        this.cluster = cluster;
        this.scenarioTables = scenarioTables;
    }

    void run(int kills) {
        ProgressBar progress = resultCollector.progress("destroying a disk", kills);
        for (int kill = 1; kill <= kills; kill++) {
            destroy("disk" + kill, kill);
            progress.update(kill, String.format(Locale.ROOT, "%.2f s", seconds.get(kill - 1)));
        }
        progress.finish();
        resultCollector.atMost("disk: all actors answer again, longest s", ResultCollector.maxOf(seconds), GOAL);
        scenarioTables.addRowFigures("disk", comparison);
        resultCollector.print(
                "%d kills, %d rows compared; in durable storage before the kill: all %d entries of the logs",
                kills, comparison.rows(), shippedEntries);
    }

    private void destroy(String table, int kill) {
        RowWorkload load = scenarioTables.createTable(table, 1).write();
        scenarioTables.awaitUpdates(load);
        load.close();
        shippedEntries += cluster.awaitShipped(table);
        DaemonProcess victim = cluster.daemon(cluster.busiest(table));
        ClientTable client = cluster.client().table(table);
        long at = resultCollector.nanos().getAsLong();
        victim.kill();
        delete(cluster.processes().directory().resolve(victim.name()));
        cluster.await("all actors answer", () -> isServing(load, client));
        long again = resultCollector.nanos().getAsLong();
        seconds.add((again - at) / ResultCollector.NANOS);
        resultCollector.raw("restored", "disk", kill, victim.name(), again - at);
        comparison = comparison.plus(load.compare(client, "disk", resultCollector));
        cluster.client().admin().dropTable(table);
        cluster.processes().startServer(victim.name());
        cluster.awaitAllServers();
    }

    private static boolean isServing(RowWorkload load, ClientTable table) {
        try {
            return load.count(table).isEmpty();
        } catch (UniserveException e) {
            return false;
        }
    }

    private static void delete(Path directory) {
        try {
            DurableFileOperations.deleteTree(directory);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot delete " + directory, e);
        }
    }
}
