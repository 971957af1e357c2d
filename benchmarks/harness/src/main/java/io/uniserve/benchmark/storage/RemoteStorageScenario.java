package io.uniserve.benchmark.storage;

import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Durability;
import io.uniserve.runtime.store.DurableStore;
import io.uniserve.runtime.store.DurableStoreFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Scenario: time to acknowledge an update of one row with durability REMOTE, one after the other. It is compared with the sum of one put
 * of a small object by this process, and an acknowledged update with durability LOCAL.
 */
final class RemoteStorageScenario {
    private static final double GOAL = 1.3;
    private static final int ACTORS = 4;
    private static final int REPLICAS = 2;
    private static final int WARM_UP_SHARE = 5;
    /** About the size of a run of the log with one row. */
    private static final int OBJECT_BYTES = 256;

    private static final double MILLIS = 1e6;

    private final ResultCollector results;
    private final StorageBenchSettings settings;
    private final MeasuredStore store;
    private final StorageCluster cluster;

    RemoteStorageScenario(
            ResultCollector results, StorageBenchSettings settings, MeasuredStore store, StorageCluster cluster) {
        this.results = results;
        this.settings = settings;
        this.store = store;
        this.cluster = cluster;
    }

    /** Operation whose duration is measured. */
    private interface Operation {
        void run(long n);
    }

    void run() {
        int count = settings.remoteUpdates();
        results.note("remote: " + count + " updates");
        ClientTable local = create("local", Durability.LOCAL);
        ClientTable remote = create("remote", Durability.REMOTE);
        double put = putMillis(count);
        double commit = p50(count, n -> StorageRows.put(local, n));
        double acknowledged = p50(count, n -> StorageRows.put(remote, n));
        results.print(
                "remote, %s: p50 of REMOTE %.2f ms, of one PUT %.2f ms, of LOCAL %.2f ms",
                store.name(), acknowledged, put, commit);
        results.raw("remote", store.name(), acknowledged, put, commit);
        String name = "remote, " + store.name() + ": ";
        results.atMost(name + "acknowledgement / (PUT + commit)", acknowledged / (put + commit), GOAL);
        results.atMost(
                name + "acknowledged rows that are missing",
                StorageRows.missing(remote, LongStream.range(0, count).boxed().toList()),
                0);
    }

    private ClientTable create(String name, Durability durability) {
        int replicas = Math.min(REPLICAS, cluster.servers());
        cluster.client()
                .admin()
                .createTable(TableSpec.named(name)
                        .port("kv")
                        .hash(ACTORS)
                        .replicas(replicas)
                        .keyField("key")
                        .durability(durability));
        cluster.awaitReplicas(name, replicas);
        return cluster.client().table(name);
    }

    private double putMillis(int count) {
        try (DurableStore direct = DurableStoreFactory.open(store.location("direct"))) {
            Bytes data = Bytes.wrap(new byte[OBJECT_BYTES]);
            return p50(count, n -> put(direct, "probe/" + n, data));
        }
    }

    private static void put(DurableStore direct, String key, Bytes data) {
        try {
            direct.put(key, data);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot store " + key, e);
        }
    }

    /** Runs the operation with the numbers below count, and returns the median of all but the first fifth. */
    private double p50(int count, Operation operation) {
        List<Double> millis = new ArrayList<>();
        for (int n = 0; n < count; n++) {
            long start = results.nanos().getAsLong();
            operation.run(n);
            if (n >= count / WARM_UP_SHARE) {
                millis.add((results.nanos().getAsLong() - start) / MILLIS);
            }
        }
        return ResultCollector.percentile(millis, 0.5);
    }
}
