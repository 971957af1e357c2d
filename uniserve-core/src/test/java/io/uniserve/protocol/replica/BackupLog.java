package io.uniserve.protocol.replica;

import io.uniserve.model.ReplicaKey;
import java.util.List;

/** An actor's log in durable storage, as whoever restores it would read it. */
public final class BackupLog {
    private BackupLog() {}

    /** The last index of it, of one without a checkpoint; 0 where there is none. */
    public static long end(List<String> keys, String cluster, ReplicaKey key) {
        List<BackupPaths.Run> chain = BackupPaths.chain(keys, BackupPaths.logPrefix(cluster, key), 0, 0);
        return chain.isEmpty() ? 0 : chain.get(chain.size() - 1).last();
    }
}
