package io.uniserve.protocol.replica;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;

/**
 * A primary on a server that drains gives its part away without losing what it alone acknowledged: when a successor is near,
 * it takes no more updates, and once a successor has its whole log it says so to the coordinator, which promotes that one. If
 * nothing comes of it, the primary stops saying so, waits until the last word is old, and takes updates again for a while.
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

    /** True while updates are refused. */
    boolean holding() {
        return holding;
    }

    /** The server drains. */
    void wanted(long now, boolean near) {
        if (!holding && near && now - againAt >= 0) {
            holding = true;
            since = now;
            tellAt = now;
        }
    }

    /** Time passes, or somebody has more of the log. */
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
