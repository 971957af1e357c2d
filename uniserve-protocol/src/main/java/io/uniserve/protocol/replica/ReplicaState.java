package io.uniserve.protocol.replica;

import io.uniserve.protocol.message.PeerReply;
import java.util.Locale;

/**
 * State of a replica in its life cycle, for reports and metrics.
 *
 * <p>A replica is OPENING until it acts in the epoch of the map. Then it is PRIMARY_STARTING and PRIMARY, or FOLLOWER, or LEARNER, as the
 * map says. Each new epoch may change the role. RESTORING, and an end of the role on this server, lead back to OPENING. DAMAGED ends when
 * the replica starts anew or is restored.
 */
public enum ReplicaState {
    /** It reads its files, or waits for an epoch in which it may act. */
    OPENING,
    /** It replaces its files by those in durable storage. */
    RESTORING,
    /** The map names it the primary, and it does not accept updates yet. */
    PRIMARY_STARTING,
    PRIMARY,
    /** It is in sync. */
    FOLLOWER,
    /** It catches up. */
    LEARNER,
    /** The map gives it no role: it is about to be removed. */
    NONE,
    /** Its data are missing or fail a check. It serves nothing. */
    DAMAGED;

    /** True if the map names it the primary. */
    public boolean isPrimary() {
        return this == PRIMARY || this == PRIMARY_STARTING;
    }

    /** Name of the role in reports. */
    public String role() {
        return this == PRIMARY
                ? PeerReply.ReplicaLoad.PRIMARY
                : name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
