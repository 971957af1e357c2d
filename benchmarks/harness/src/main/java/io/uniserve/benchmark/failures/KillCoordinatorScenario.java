package io.uniserve.benchmark.failures;

import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.client.TableSpec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.DaemonProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Scenario: kill of the leader of two coordinators. Measures the time until the other has created a table that was requested at once.
 */
final class KillCoordinatorScenario {
    private static final double GOAL = 8;
    private static final String STANDBY = "coordinator-2";

    private final ResultCollector resultCollector;
    private final FailingCluster cluster;
    private final ScenarioTables scenarioTables;
    private final List<Double> seconds = new ArrayList<>();

    KillCoordinatorScenario(ResultCollector resultCollector, FailingCluster cluster, ScenarioTables scenarioTables) {
        this.resultCollector = resultCollector;
        this.cluster = cluster;
        this.scenarioTables = scenarioTables;
    }

    void run(int kills) {
        String table = "coordinator";
        if (!cluster.processes().daemons().containsKey(STANDBY)) {
            cluster.processes().startCoordinator(STANDBY);
        }
        ProgressBar progress = resultCollector.progress("killing coordinators", kills);
        try (RowWorkload load = scenarioTables.createTable(table, 2)) {
            load.write().read(cluster.client().table(table));
            scenarioTables.awaitUpdates(load);
            for (int kill = 1; kill <= kills; kill++) {
                kill(kill);
                progress.update(kill, String.format(Locale.ROOT, "%.2f s", seconds.get(kill - 1)));
            }
            progress.finish();
            load.close();
            resultCollector.atMost(
                    "coordinator: the other has made a table, longest s", ResultCollector.maxOf(seconds), GOAL);
            resultCollector.print("%d kills, p50 %.2f s", kills, ResultCollector.percentile(seconds, 0.5));
            load.report("coordinator", resultCollector);
            scenarioTables.compareAndDrop(table, load, "coordinator");
        }
    }

    private void kill(int kill) {
        DaemonProcess leader = cluster.leader();
        String made = "made-" + kill;
        long at = resultCollector.nanos().getAsLong();
        leader.kill();
        make(made);
        long again = resultCollector.nanos().getAsLong();
        seconds.add((again - at) / ResultCollector.NANOS);
        resultCollector.raw("takeover", "coordinator", kill, leader.name(), again - at);
        cluster.client().admin().dropTable(made);
        cluster.processes().startCoordinator(leader.name());
    }

    private void make(String name) {
        try {
            cluster.client()
                    .admin()
                    .createTable(TableSpec.named(name).port("kv").hash(2).keyField("key"));
        } catch (UniserveException e) {
            if (e.code() != ErrorCode.OUTCOME_UNKNOWN) {
                throw e;
            }
            // The request went to the dying leader, so only the new leader can report whether the table exists.
            cluster.await(
                    "table " + name + " is there",
                    () -> cluster.client().admin().listTables().stream()
                            .anyMatch(table -> table.meta().name().value().equals(name)));
        }
    }
}
