package io.uniserve.protocol.backup.format;

import io.uniserve.model.ReplicaKey;
import java.util.List;

/** Reader of an actor's log in durable storage, as a restoration reads it. */
public final class BackupLog {
    private BackupLog() {}

    /** The last index of a log without a checkpoint; 0 if there is none. */
    public static long end(List<String> keys, String cluster, ReplicaKey key) {
        List<BackupPaths.Run> chain = BackupPaths.chain(keys, BackupPaths.logPrefix(cluster, key), 0, 0);
        return chain.isEmpty() ? 0 : chain.get(chain.size() - 1).last();
    }
}
