package io.uniserve.protocol.replica;

import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;

/**
 * Maintenance of the recovery point in the state file: the index up to which the log is known to be durable. It is written shortly after
 * the log stops growing, and periodically while it grows. In between, each batch in the log proves that the previous one was durable.
 * Updates never wait for it.
 */
final class RecoveryPoint {
    private static final int REST_RETRIES = 10;
    private static final int BUSY_RETRIES = 300;

    private final ReplicaConfig config;
    private long seen;
    private long seenAt;
    private long markedAt;
    private boolean writing;
    private boolean held;

    RecoveryPoint(ReplicaConfig config, long now) {
        this.config = config;
        this.seenAt = now;
        this.markedAt = now;
    }

    /** Suspends writes of the recovery point during a truncation of the log. */
    void hold(boolean value) {
        held = value;
    }

    boolean wantsTicks(OpenReplica parts) {
        return parts.log().lastIndex() > parts.file().get().synced();
    }

    void tick(long now, OpenReplica parts) {
        long durable = parts.log().durableIndex();
        if (durable != seen) {
            seen = durable;
            seenAt = now;
        }
        boolean rests = now - seenAt >= REST_RETRIES * config.retryNanos();
        boolean late = now - markedAt >= BUSY_RETRIES * config.retryNanos();
        boolean news = durable > parts.file().get().synced();
        if (held || writing || !news || !rests && !late) {
            return;
        }
        write(parts, now);
    }

    private void write(OpenReplica parts, long now) {
        writing = true;
        markedAt = now;
        parts.file().change(state -> held ? state : state.synced(parts.log().durableIndex()), done -> {
            writing = false;
            if (done instanceof Outcome.Err<Done>) {
                seenAt = now;
            }
        });
    }
}
