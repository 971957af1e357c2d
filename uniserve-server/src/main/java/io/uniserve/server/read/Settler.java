package io.uniserve.server.read;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;

/** Settles on the server's loop what is in doubt at a replica before a reader may have an answer. Called on any thread. */
@FunctionalInterface
public interface Settler {
    /**
     * Done, on the loop, when the state that readers find at the replica is complete for a question asked now.
     *
     * @param at the version asked for, 0 for the newest
     */
    void settle(TableName table, ReplicaKey key, long at, Completion<Done> completion);
}
