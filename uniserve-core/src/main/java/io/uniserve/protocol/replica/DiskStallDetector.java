package io.uniserve.protocol.replica;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.log.ReplicaLog;

/** Detector of a stalled disk: a log write that neither completes nor fails. */
final class DiskStallDetector {
    private long durable;
    private long since;
    private boolean waiting;

    /** True if entries wait for the disk and none has become durable for {@link Limits#DISK_STALL_MS_MAX}. */
    boolean tick(long now, ReplicaLog log) {
        boolean waits = log.lastIndex() > log.durableIndex();
        if (!waits || !waiting || durable != log.durableIndex()) {
            waiting = waits;
            durable = log.durableIndex();
            since = now;
        }
        return waits && now - since >= 1_000_000 * Limits.DISK_STALL_MS_MAX;
    }
}
