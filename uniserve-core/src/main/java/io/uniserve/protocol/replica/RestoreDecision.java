package io.uniserve.protocol.replica;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;

/** Decision about a takeover in the map, for the replica on this server. */
record RestoreDecision(
        ServerId self, ActorState wanted, long installed, boolean opened, boolean restoring, ReplicaHealth fitness) {

    /**
     * True during a pending takeover by another server, if this replica was in sync before. The coordinator may return the actor to it. So
     * its files must not change, and it must not install a newer epoch.
     */
    boolean mayReturn() {
        return opened && !restoring && !fitness.isDamaged() && wanted.former().counts(self, installed);
    }

    /** True when this server must restore the actor from durable storage, because the coordinator gave up all other copies. */
    boolean mustRestore(long restoredEpoch) {
        return (opened || fitness.isDamaged())
                && wanted.restoreEpoch() > installed
                && wanted.restoreEpoch() > restoredEpoch
                && !wanted.begun()
                && wanted.primary().equals(self)
                && (!fitness.isDamaged() || wanted.restoreEpoch() > fitness.badEpoch());
    }
}
