package io.uniserve.benchmark.storage;

import io.uniserve.benchmark.measure.ResultCollector;

/**
 * Scenario: load and backup of a table while a share of the requests fails, beside the same without failures; then a restoration under
 * failures.
 */
final class FailingStoreScenario {
    private static final double GOAL = 1.5;
    private static final int SHARE_OF_ROWS = 4;
    private static final int MEBIBYTES_MIN = 4;

    private final ResultCollector results;
    private final StorageBenchSettings settings;
    private final MeasuredStore store;
    private final StorageCluster cluster;
    private final long rows;

    FailingStoreScenario(
            ResultCollector results, StorageBenchSettings settings, MeasuredStore store, StorageCluster cluster) {
        this.results = results;
        this.settings = settings;
        this.store = store;
        this.cluster = cluster;
        this.rows = (long) Math.max(MEBIBYTES_MIN, settings.mebibytes() / SHARE_OF_ROWS) * StorageRows.PER_MEBIBYTE;
    }

    /** Time and requests of a backup. */
    private record Backup(double seconds, S3RequestCounts counts) {}

    void run() {
        results.note("failures: " + settings.failShare() * 100 + " % of the requests");
        loadAndBackUp("warmup");
        Backup calm = loadAndBackUp("calm");
        store.failShare(settings.failShare());
        try {
            Backup failing = loadAndBackUp("failing");
            report(calm, failing);
            restore();
        } finally {
            store.failShare(0);
        }
    }

    private Backup loadAndBackUp(String table) {
        BackupStorageScenario.create(cluster, table, settings.bulkActors());
        S3RequestCounts before = store.counts();
        long start = results.nanos().getAsLong();
        StorageRows.load(cluster.client().table(table), rows);
        cluster.client().admin().backupTable(table, "of-" + table);
        return new Backup(results.secondsSince(start), store.counts().minus(before));
    }

    private void report(Backup calm, Backup failing) {
        results.print(
                "failures: without %.2f s, %s", calm.seconds(), calm.counts().text());
        results.print(
                "failures: with %.2f s, %d failed, %s: %.2f times the requests",
                failing.seconds(),
                failing.counts().failed(),
                failing.counts().text(),
                (double) failing.counts().total() / Math.max(1, calm.counts().total()));
        results.raw("failures", calm.seconds(), failing.seconds(), calm.counts(), failing.counts());
        results.atMost("failures: time of load and backup / without", failing.seconds() / calm.seconds(), GOAL);
    }

    private void restore() {
        long start = results.nanos().getAsLong();
        cluster.client().admin().restoreTable("of-failing", "again");
        results.print("failures: restored in %.2f s", results.secondsSince(start));
        boolean isComplete = StorageRows.isComplete(cluster.client().table("again"), rows);
        results.atMost("failures: restored tables with other rows", isComplete ? 0 : 1, 0);
    }
}
