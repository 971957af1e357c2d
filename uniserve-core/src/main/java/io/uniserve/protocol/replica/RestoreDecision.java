package io.uniserve.protocol.replica;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;

/** How a replica on this server stands to what the map says of a takeover from durable storage. */
record RestoreDecision(
        ServerId self, ActorState wanted, long installed, boolean opened, boolean restoring, ReplicaHealth fitness) {

    /**
     * True while another server takes over what this replica had in sync, and has not begun: the coordinator may come back to
     * these files, so that nothing is done to them, not even a newer epoch installed.
     */
    boolean mayReturn() {
        return opened && !restoring && !fitness.isDamaged() && wanted.former().counts(self, installed);
    }

    /** True when the coordinator gave up on every copy but the one in durable storage, and this server is to restore it. */
    boolean mustRestore(long restoredEpoch) {
        return (opened || fitness.isDamaged())
                && wanted.restoreEpoch() > installed
                && wanted.restoreEpoch() > restoredEpoch
                && !wanted.begun()
                && wanted.primary().equals(self)
                && (!fitness.isDamaged() || wanted.restoreEpoch() > fitness.badEpoch());
    }
}
