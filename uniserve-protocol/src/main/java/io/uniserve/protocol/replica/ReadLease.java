package io.uniserve.protocol.replica;

/** Read lease of a replica. A renewal counts once the epoch that it was offered for is installed. */
final class ReadLease {
    private long until;
    private long offeredEpoch;
    private long offeredUntil;

    ReadLease(long now) {
        until = now;
        offeredUntil = now;
    }

    void offer(long epochInMap, long untilNanos) {
        offeredEpoch = epochInMap;
        offeredUntil = untilNanos;
    }

    /** End of the lease for a replica that has installed this epoch. */
    long endNanos(long installed) {
        if (installed >= offeredEpoch && offeredUntil - until > 0) {
            until = offeredUntil;
        }
        return until;
    }
}
