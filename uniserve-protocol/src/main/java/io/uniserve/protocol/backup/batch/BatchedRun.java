package io.uniserve.protocol.backup.batch;

import io.uniserve.model.ReplicaKey;
import java.util.List;

/**
 * A run of an actor's log that is stored in one object with runs of other actors. Immutable.
 *
 * <pre>{@code
 * List<BatchedRun> runs = BatchedRun.of(key); // empty if the key names another object
 * }</pre>
 *
 * @param cluster cluster of the actor
 * @param bytes size of the run
 */
public record BatchedRun(String cluster, ReplicaKey actor, int bytes) {
    /** The runs in the object of this key, in any cluster; empty if the object is no batch. */
    public static List<BatchedRun> of(String key) {
        return LogBatchKey.parse(key)
                .map(batch -> batch.entries().stream()
                        .map(entry -> new BatchedRun(batch.cluster(), entry.key(), entry.length()))
                        .toList())
                .orElse(List.of());
    }
}
