package io.uniserve.benchmark.storage;

import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.client.Admin;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Scenario: two clusters of one name write to one bucket under different prefixes. While one of them is quiet, the other one loads, backs
 * up, restores, drops and deletes: no byte of the quiet one's objects may change. Then a new cluster takes over the first one's prefix and
 * restores all tables, while its predecessor lives and writes: no object of the moment of the takeover may change or vanish.
 */
final class NeighbourClustersScenario {
    private static final String TABLE = "loaded";
    private static final String BACKUP = "loaded-1";
    private static final long WRITE_MS = 2_000;
    private static final long STABLE_MS = 2_000;
    private static final int MEBIBYTES = 2;
    /** First row of the writes beside a successor. */
    private static final long SECOND_ROWS = 1_000_000_000L;

    private final ResultCollector results;
    private final StorageBenchSettings settings;
    private final MeasuredStore store;
    private final Path folder;
    private long objects;
    private long harmed;
    private long lost;
    private long damagedBackups;

    NeighbourClustersScenario(
            ResultCollector results, StorageBenchSettings settings, MeasuredStore store, Path folder) {
        this.results = results;
        this.settings = settings;
        this.store = store;
        this.folder = folder;
    }

    void run() {
        ProgressBar progress = results.progress("two-clusters", settings.runs());
        for (int run = 1; run <= settings.runs(); run++) {
            run(run);
            progress.update(run, harmed + " of " + objects + " objects harmed");
        }
        progress.finish();
        results.print("two-clusters: %d runs, %d objects hashed before and after", settings.runs(), objects);
        results.atMost("two-clusters: objects harmed", harmed, 0);
        results.atMost("two-clusters: acknowledged rows that are missing", lost, 0);
        results.atMost("two-clusters: damaged backups", damagedBackups, 0);
    }

    private void run(int run) {
        String first = "pair-" + run + "/first";
        String second = "pair-" + run + "/second";
        try (StorageCluster left = start(first, first, false);
                StorageCluster right = start(second, second, false)) {
            BackupStorageScenario.create(left, TABLE, 2);
            BackupStorageScenario.create(right, TABLE, 2);
            Set<Long> ofRight;
            try (StorageWriter leftWriter = StorageWriter.start(left);
                    StorageWriter rightWriter = StorageWriter.start(right)) {
                pause(WRITE_MS);
                ofRight = rightWriter.acknowledged();
                lost += StorageRows.missing(left.client().table(StorageWriter.TABLE), leftWriter.acknowledged());
            }
            watch(run, first, left, right);
            watch(run, second, right, left);
            lost += StorageRows.missing(right.client().table(StorageWriter.TABLE), ofRight);
            succeed(run, first, left);
        }
    }

    private StorageCluster start(String name, String prefix, boolean takesOver) {
        results.note("two-clusters: starting cluster " + name);
        return new StorageCluster(
                folder.resolve(name), settings, 1, store.location(prefix), takesOver, results.nanos());
    }

    private void pause(long millis) {
        ConditionWaiter.await(results.nanos(), millis, () -> false);
    }

    /** Compares a quiet cluster's objects before and after the other one has worked. */
    private void watch(int run, String prefix, StorageCluster quiet, StorageCluster busy) {
        quiet.awaitShipped(TABLE);
        quiet.awaitShipped(StorageWriter.TABLE);
        awaitStable(prefix);
        Map<String, String> before = store.hashes(prefix);
        work(busy);
        Map<String, String> after = store.hashes(prefix);
        long changed = harmed(before, after);
        long added =
                after.keySet().stream().filter(key -> !before.containsKey(key)).count();
        objects += before.size();
        harmed += changed + added;
        results.raw("two-clusters", run, prefix, before.size(), changed, added);
    }

    private void awaitStable(String prefix) {
        Map<String, Long> last;
        Map<String, Long> now = store.sizes(prefix);
        do {
            last = now;
            pause(STABLE_MS);
            now = store.sizes(prefix);
        } while (!now.equals(last));
    }

    /** Uses every operation that writes or deletes objects. */
    private static void work(StorageCluster cluster) {
        Admin admin = cluster.client().admin();
        StorageRows.load(cluster.client().table(TABLE), (long) MEBIBYTES * StorageRows.PER_MEBIBYTE);
        admin.backupTable(TABLE, BACKUP);
        admin.restoreTable(BACKUP, "copy");
        admin.dropTable("copy");
        admin.deleteBackup(BACKUP);
    }

    /** Returns how many objects have other bytes or are missing. */
    static long harmed(Map<String, String> before, Map<String, String> after) {
        return before.entrySet().stream()
                .filter(object -> !object.getValue().equals(after.get(object.getKey())))
                .count();
    }

    /** Starts a successor on the prefix of a cluster that lives and writes. */
    private void succeed(int run, String prefix, StorageCluster predecessor) {
        try (StorageWriter writer = StorageWriter.resume(predecessor, SECOND_ROWS)) {
            pause(WRITE_MS);
            Set<Long> acknowledged = writer.acknowledged();
            try (StorageCluster successor = start("pair-" + run + "/successor", prefix, true)) {
                Map<String, String> before = store.hashes(prefix);
                List<String> backups = LostTableRestorer.restore(successor);
                long changed = harmed(before, store.hashes(prefix));
                objects += before.size();
                harmed += changed;
                backups.forEach(backup -> verify(successor, backup));
                long missing = StorageRows.missing(successor.client().table(StorageWriter.TABLE), acknowledged);
                lost += missing;
                results.raw("successor", run, before.size(), changed, acknowledged.size(), missing);
            }
        }
    }

    private void verify(StorageCluster cluster, String backup) {
        try {
            cluster.client().admin().verifyBackup(backup);
        } catch (UniserveException e) {
            damagedBackups++;
            results.print("two-clusters: backup %s: %s", backup, e.getMessage());
        }
    }
}
