package io.uniserve.benchmark.failures;

import io.uniserve.cli.command.Progress;
import io.uniserve.client.ClientTable;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.disk.DurableFiles;
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
    private final List<Double> times = new ArrayList<>();
    private RowWorkload.Comparison all = RowWorkload.Comparison.NONE;
    private long shipped;

    DiskLossScenario(ResultCollector resultCollector, FailingCluster cluster, ScenarioTables scenarioTables) {
        this.resultCollector = resultCollector;
        this.cluster = cluster;
        this.scenarioTables = scenarioTables;
    }

    void run(int kills) {
        Progress progress = resultCollector.progress("destroying a disk", kills);
        for (int kill = 1; kill <= kills; kill++) {
            destroy("disk" + kill, kill);
            progress.update(kill, String.format(Locale.ROOT, "%.2f s", times.get(kill - 1)));
        }
        progress.finish();
        resultCollector.atMost("disk: all actors answer again, longest s", ResultCollector.maxOf(times), GOAL);
        resultCollector.atMost("disk: acknowledged rows lost", all.lost(), 0);
        resultCollector.atMost("disk: rows that nobody sent", all.wrong(), 0);
        resultCollector.print(
                "%d kills, %d rows compared; in durable storage before the kill: all %d entries of the logs",
                kills, all.rows(), shipped);
    }

    private void destroy(String table, int kill) {
        RowWorkload load = scenarioTables.createTable(table, 1).write();
        scenarioTables.awaitUpdates(load);
        load.close();
        shipped += cluster.awaitShipped(table);
        DaemonProcess victim = cluster.daemon(cluster.busiest(table));
        ClientTable client = cluster.client().table(table);
        long at = resultCollector.nanos().getAsLong();
        victim.kill();
        delete(cluster.processes().directory().resolve(victim.name()));
        cluster.await("all actors answer", () -> answers(load, client));
        long again = resultCollector.nanos().getAsLong();
        times.add((again - at) / ResultCollector.NANOS);
        resultCollector.raw("restored", "disk", kill, victim.name(), again - at);
        all = all.plus(load.compare(client, "disk", resultCollector));
        cluster.client().admin().dropTable(table);
        cluster.processes().startServer(victim.name());
        cluster.awaitAllServers();
    }

    private static boolean answers(RowWorkload load, ClientTable table) {
        try {
            return load.count(table).isEmpty();
        } catch (UniserveException e) {
            return false;
        }
    }

    private static void delete(Path directory) {
        try {
            DurableFiles.deleteTree(directory);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot delete " + directory, e);
        }
    }
}
