package io.uniserve.simulator.engine;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;

/** Observer for the checker: updates that engines apply, and answers of read workers. It changes nothing. */
public interface EngineObserver {
    /** Called when a replica has applied a logged update; its last applied index before was {@code previousIndex}. */
    void onApplied(String server, ReplicaKey key, long previousIndex, long index, Bytes rows);

    /** Called when a read worker answers a request that it received at this time, with gates of this epoch. */
    void onAnswered(String server, ReplicaKey key, long epoch, long takenNanos);
}
