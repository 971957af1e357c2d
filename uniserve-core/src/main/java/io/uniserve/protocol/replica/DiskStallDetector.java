package io.uniserve.protocol.replica;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.log.ReplicaLog;

/** Notices a disk that does not answer: a write of the log that neither ends nor fails. */
final class DiskStallDetector {
    private long durable;
    private long since;
    private boolean waiting;

    /** True while entries wait for the disk, none has become durable for long. */
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
