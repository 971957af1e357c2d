package io.uniserve.benchmark.failures;

import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.client.TableSpec;
import io.uniserve.model.OnLoss;

/** Key-value tables of the scenarios, each with a load of its own. Not thread-safe. */
final class ScenarioTables {
    private static final int ACTORS = 8;
    private static final int WARM_UPDATES = 100;

    private final ResultCollector resultCollector;
    private final FailingCluster cluster;
    private final int rows;

    ScenarioTables(ResultCollector resultCollector, FailingCluster cluster, int rows) {
        this.resultCollector = resultCollector;
        this.cluster = cluster;
        this.rows = rows;
    }

    /** Creates a table of rows and waits until all its replicas are in sync. */
    RowWorkload createTable(String name, int rf) {
        cluster.client()
                .admin()
                .createTable(TableSpec.named(name)
                        .port("kv")
                        .hash(ACTORS)
                        .replicas(rf)
                        .onLoss(OnLoss.RESTORE_ACTOR)
                        .keyField("key"));
        RowWorkload load = newWorkload(name).fill();
        cluster.settle(name);
        return load;
    }

    /** Creates a load of this table that has sent nothing. */
    RowWorkload newWorkload(String name) {
        return new RowWorkload(
                resultCollector.nanos(),
                cluster.client().table(name),
                cluster.client().admin().describeTable(name).meta(),
                rows);
    }

    /** Waits for enough updates that connections are open and code is warm. */
    void awaitUpdates(RowWorkload load) {
        long until = load.updates() + WARM_UPDATES;
        cluster.await("updates go on", () -> load.updates() >= until);
    }

    /** Compares every row and drops the table. */
    void compareAndDrop(String name, RowWorkload load, String scenario) {
        RowWorkload.Comparison compared = load.compare(cluster.client().table(name), scenario, resultCollector);
        addRowFigures(scenario, compared);
        cluster.client().admin().dropTable(name);
    }

    /** Adds the figures of a comparison of all rows; both must be 0. */
    void addRowFigures(String scenario, RowWorkload.Comparison compared) {
        resultCollector.atMost(scenario + ": acknowledged rows lost", compared.lost(), 0);
        resultCollector.atMost(scenario + ": rows never sent", compared.wrong(), 0);
    }
}
