package io.uniserve.testkit.simulation.engine;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;

/** Sees what engines apply and what read workers answer, for the checker. Changes nothing. */
public interface EngineObserver {
    /** A replica applied a logged update on top of one at {@code previousIndex}. */
    void applied(String server, ReplicaKey key, long previousIndex, long index, Bytes rows);

    /** A read worker answers: it took the request at this time, and its gates showed this epoch. */
    void answered(String server, ReplicaKey key, long epoch, long takenNanos);
}
