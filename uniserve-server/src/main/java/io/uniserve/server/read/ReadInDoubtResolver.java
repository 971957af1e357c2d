package io.uniserve.server.read;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.gate.InDoubtResolution;

/** Resolver of versions in doubt at a replica, on behalf of readers. It works on the server's loop; call it on any thread. */
@FunctionalInterface
public interface ReadInDoubtResolver {
    /**
     * Completes, on the loop, when the state of the replica is complete for a read that starts now.
     *
     * @param at the requested version, 0 for the newest
     * @param defers true if the client itself obtains a claim that a version in flight is not visible
     */
    void resolve(TableName table, ReplicaKey key, long at, boolean defers, Completion<InDoubtResolution> completion);
}
