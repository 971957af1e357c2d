package io.uniserve.protocol.replica;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;

/**
 * Hand-over of a primary that must leave its server, without loss of entries that only it has acknowledged. When a successor is near, the
 * primary rejects updates. Once a successor has the whole log, the primary reports it to the coordinator, which promotes it. If no
 * promotion follows, the primary stops the reports, waits until the last report has expired, and accepts updates again for a while.
 */
final class PrimaryTransfer {
    private final ReplicaContext host;
    private final ReplicaKey key;
    private final long epoch;
    private long since;
    private long tellAt;
    private long againAt;
    private boolean holding;

    PrimaryTransfer(ReplicaContext host, ReplicaKey key, long epoch) {
        this.host = host;
        this.key = key;
        this.epoch = epoch;
        this.againAt = host.env().clock().nanos();
        this.tellAt = againAt;
    }

    /** True while updates are rejected. */
    boolean holding() {
        return holding;
    }

    /** Starts the hand-over if a successor is near. */
    void wanted(long now, boolean near) {
        if (!holding && near && now - againAt >= 0) {
            holding = true;
            since = now;
            tellAt = now;
        }
    }

    /** Advances after a tick or progress of a successor. */
    void advance(long now, List<ServerId> successors) {
        if (!holding) {
            return;
        }
        long window = host.config().learnerTimeoutNanos();
        if (now - since >= 3 * window) {
            holding = false;
            againAt = now + window;
        } else if (now - since < window && !successors.isEmpty() && now - tellAt >= 0) {
            tellAt = now + host.config().retryNanos();
            host.tellCoordinator(new PeerRequest.HandOver(key, epoch, host.self(), successors));
        }
    }
}
