package io.uniserve.protocol.backup.batch;

import io.uniserve.model.ReplicaKey;
import java.util.Arrays;

/** Keys of batches for tests of other packages. */
public final class BatchKeys {
    private BatchKeys() {}

    /** The key of a batch with a run of 100 bytes of each of these actors. */
    public static String of(String cluster, ReplicaKey... actors) {
        return new LogBatchKey(
                        cluster,
                        1_700_000_000_000L,
                        5,
                        Arrays.stream(actors)
                                .map(actor -> new LogBatchKey.Entry(actor, 1, 9, 2, 100))
                                .toList())
                .text();
    }
}
