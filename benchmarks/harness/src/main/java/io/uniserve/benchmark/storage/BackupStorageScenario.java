package io.uniserve.benchmark.storage;

import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.limit.Limits;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Scenario: a table is loaded, backed up and restored under another name: bytes, requests and time; every row is compared. */
final class BackupStorageScenario {
    /** Prefix of the cluster's objects in the store. */
    static final String PREFIX = "backup";

    private static final String TABLE = "bulk";
    private static final String BACKUP = "bulk-1";
    private static final String RESTORED = "restored";
    private static final double GET_GOAL = 1.05;
    private static final double MIB = 1 << 20;

    private final ResultCollector results;
    private final StorageBenchSettings settings;
    private final MeasuredStore store;
    private final StorageCluster cluster;

    BackupStorageScenario(
            ResultCollector results, StorageBenchSettings settings, MeasuredStore store, StorageCluster cluster) {
        this.results = results;
        this.settings = settings;
        this.store = store;
        this.cluster = cluster;
    }

    void run() {
        long rows = (long) settings.mebibytes() * StorageRows.PER_MEBIBYTE;
        create(cluster, TABLE, settings.bulkActors());
        ClientTable table = cluster.client().table(TABLE);
        results.note("backup: " + settings.mebibytes() + " MiB in " + settings.bulkActors() + " actors");
        S3RequestCounts before = store.counts();
        long start = results.nanos().getAsLong();
        StorageRows.load(table, rows);
        double loaded = results.secondsSince(start);
        cluster.client().admin().backupTable(TABLE, BACKUP);
        double backedUp = results.secondsSince(start);
        S3RequestCounts counts = store.counts().minus(before);
        SortedMap<String, Long> sizes = store.sizes(PREFIX);
        results.print(
                "backup, %s: %d MiB of rows loaded in %.1f s, backed up %.2f s later: %d objects, %.1f MiB; %s",
                store.name(),
                settings.mebibytes(),
                loaded,
                backedUp - loaded,
                sizes.size(),
                bytes(sizes) / MIB,
                requests(counts));
        results.raw(
                "backup", store.name(), loaded, backedUp, sizes.size(), bytes(sizes), counts.puts(), counts.total());
        if (settings.has(StorageBenchPart.RESTORE)) {
            restore(rows);
        }
    }

    /** Creates a table of one replica per actor: storage gets objects of primaries only. */
    static void create(StorageCluster cluster, String name, int actors) {
        cluster.client()
                .admin()
                .createTable(TableSpec.named(name)
                        .port("kv")
                        .hash(actors)
                        .replicas(1)
                        .keyField("key"));
        cluster.awaitReplicas(name, 1);
    }

    private void restore(long rows) {
        results.note("restore");
        S3RequestCounts before = store.counts();
        long start = results.nanos().getAsLong();
        long id = cluster.client().admin().restoreTable(BACKUP, RESTORED).meta().tableId();
        double seconds = results.secondsSince(start);
        S3RequestCounts counts = store.counts().minus(before);
        long least = leastGets(store.sizes(PREFIX), "backup/local/" + id + "/");
        results.print(
                "restore, %s: %.2f s; at least %d GET by parts of %d MiB; %s",
                store.name(), seconds, least, Limits.BACKUP_CHUNK_BYTES >> 20, requests(counts));
        results.raw("restore", store.name(), seconds, counts.gets(), least, counts.total(), counts.bytesOut());
        String name = "restore, " + store.name() + ": ";
        if (store.isCounted()) {
            results.atMost(name + "GET / least GET by part size", (double) counts.gets() / least, GET_GOAL);
        }
        boolean isComplete = StorageRows.isComplete(cluster.client().table(RESTORED), rows);
        results.atMost(name + "restored tables with other rows", isComplete ? 0 : 1, 0);
        cluster.client().admin().dropTable(RESTORED);
    }

    private String requests(S3RequestCounts counts) {
        return store.isCounted() ? counts.text() : "requests not counted";
    }

    private static long bytes(Map<String, Long> sizes) {
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the fewest objects of the size of a part that have the bytes of each actor below a prefix. */
    static long leastGets(Map<String, Long> sizes, String prefix) {
        Map<String, Long> byActor = new TreeMap<>();
        sizes.forEach((key, size) -> {
            if (key.startsWith(prefix)) {
                byActor.merge(key.substring(prefix.length()).split("/")[0], size, Long::sum);
            }
        });
        return byActor.values().stream()
                .mapToLong(size -> Math.max(1, (size + Limits.BACKUP_CHUNK_BYTES - 1) / Limits.BACKUP_CHUNK_BYTES))
                .sum();
    }
}
