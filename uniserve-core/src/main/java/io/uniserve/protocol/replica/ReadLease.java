package io.uniserve.protocol.replica;

/** A replica's read lease: what the server renewed counts once the epoch that it was renewed for is installed. */
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

    /** When the lease ends for a replica that has installed this epoch. */
    long until(long installed) {
        if (installed >= offeredEpoch && offeredUntil - until > 0) {
            until = offeredUntil;
        }
        return until;
    }
}
