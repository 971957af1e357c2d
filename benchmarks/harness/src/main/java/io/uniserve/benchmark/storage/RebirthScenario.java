package io.uniserve.benchmark.storage;

import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.benchmark.measure.ResultCollector;
import java.nio.file.Path;
import java.util.Set;

/**
 * Scenario: every process of a cluster is killed under acknowledged updates of durability REMOTE, and its disks are not used again. A new
 * cluster with the same store restores all tables.
 */
final class RebirthScenario {
    private static final String PREFIX = "rebirth";
    private static final String BULK = "bulk";
    private static final long WRITE_MS = 3_000;

    private final ResultCollector results;
    private final StorageBenchSettings settings;
    private final MeasuredStore store;
    private final Path folder;

    RebirthScenario(ResultCollector results, StorageBenchSettings settings, MeasuredStore store, Path folder) {
        this.results = results;
        this.settings = settings;
        this.store = store;
        this.folder = folder;
    }

    void run() {
        Set<Long> acknowledged = loseCluster();
        results.note("rebirth: " + acknowledged.size() + " updates acknowledged, all processes killed");
        S3RequestCounts before = store.counts();
        long start = results.nanos().getAsLong();
        try (StorageCluster fresh = start("rebirth-new", true)) {
            double started = results.secondsSince(start);
            LostTableRestorer.restore(fresh);
            boolean isComplete = StorageRows.isComplete(
                    fresh.client().table(BULK), (long) settings.mebibytes() * StorageRows.PER_MEBIBYTE);
            StorageRows.put(fresh.client().table(StorageWriter.TABLE), Long.MAX_VALUE);
            double seconds = results.secondsSince(start);
            S3RequestCounts counts = store.counts().minus(before);
            long lost = StorageRows.missing(fresh.client().table(StorageWriter.TABLE), acknowledged);
            results.print(
                    "rebirth, %s: %d MiB serve %.1f s after the first new process started, processes %.1f s; %s",
                    store.name(),
                    settings.mebibytes(),
                    seconds,
                    started,
                    store.isCounted() ? counts.text() : "requests not counted");
            results.raw("rebirth", store.name(), seconds, started, acknowledged.size(), lost, counts.total());
            String name = "rebirth, " + store.name() + ": ";
            results.atMost(name + "rows lost at REMOTE of " + acknowledged.size(), lost, 0);
            results.atMost(name + "shipped tables with other rows", isComplete ? 0 : 1, 0);
        }
    }

    private StorageCluster start(String name, boolean takesOver) {
        return new StorageCluster(
                folder.resolve(name), settings, settings.servers(), store.location(PREFIX), takesOver, results.nanos());
    }

    /** Fills a cluster and kills it. Returns the acknowledged rows of durability REMOTE. */
    private Set<Long> loseCluster() {
        results.note(store.name() + ": starting " + settings.servers() + " servers for rebirth");
        try (StorageCluster lost = start("rebirth-old", false)) {
            BackupStorageScenario.create(lost, BULK, settings.bulkActors());
            StorageRows.load(lost.client().table(BULK), (long) settings.mebibytes() * StorageRows.PER_MEBIBYTE);
            lost.awaitShipped(BULK);
            try (StorageWriter writer = StorageWriter.start(lost)) {
                ConditionWaiter.await(results.nanos(), WRITE_MS, () -> false);
                lost.killAll();
                return writer.acknowledged();
            }
        }
    }
}
