package io.uniserve.server.read;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.gate.InDoubtResolution;

/** Settles on the server's loop what is in doubt at a replica before a reader may have an answer. Called on any thread. */
@FunctionalInterface
public interface ReadInDoubtResolver {
    /**
     * Done, on the loop, when the state that readers find at the replica is complete for a question asked now.
     *
     * @param at the version asked for, 0 for the newest
     * @param defers true where the asker looks by itself for a denial of a version in flight
     */
    void settle(TableName table, ReplicaKey key, long at, boolean defers, Completion<InDoubtResolution> completion);
}
