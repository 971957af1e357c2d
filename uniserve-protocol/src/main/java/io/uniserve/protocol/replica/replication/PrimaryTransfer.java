package io.uniserve.protocol.replica.replication;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.replica.context.ReplicaContext;
import java.util.List;

/**
 * Hand-over of a primary that must leave its server, without loss of entries that only it has acknowledged. When a successor is near, the
 * primary rejects updates. Once a successor has the whole log, the primary reports it to the coordinator, which promotes it. If no
 * promotion follows, the primary stops the reports, waits until the last report has expired, and accepts updates again for a while.
 */
public final class PrimaryTransfer {
    private final ReplicaContext host;
    private final ReplicaKey key;
    private final long epoch;
    private long since;
    private long nextReportNanos;
    private long nextAttemptNanos;
    private boolean rejectingUpdates;

    public PrimaryTransfer(ReplicaContext host, ReplicaKey key, long epoch) {
        this.host = host;
        this.key = key;
        this.epoch = epoch;
        this.nextAttemptNanos = host.env().clock().nanos();
        this.nextReportNanos = nextAttemptNanos;
    }

    /** True while updates are rejected. */
    public boolean isRejectingUpdates() {
        return rejectingUpdates;
    }

    /** Starts the hand-over if a successor is near. */
    public void startIfNear(long now, boolean near) {
        if (!rejectingUpdates && near && now - nextAttemptNanos >= 0) {
            rejectingUpdates = true;
            since = now;
            nextReportNanos = now;
        }
    }

    /** Advances after a tick or progress of a successor. */
    public void advance(long now, List<ServerId> successors) {
        if (!rejectingUpdates) {
            return;
        }
        long window = host.config().learnerTimeoutNanos();
        if (now - since >= 3 * window) {
            rejectingUpdates = false;
            nextAttemptNanos = now + window;
        } else if (now - since < window && !successors.isEmpty() && now - nextReportNanos >= 0) {
            nextReportNanos = now + host.config().retryNanos();
            host.reportToCoordinator(new PeerRequest.PrimaryTransferReady(key, epoch, host.self(), successors));
        }
    }
}
