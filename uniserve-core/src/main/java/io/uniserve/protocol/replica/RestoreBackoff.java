package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;

/** Pause before a replica is fetched again from durable storage after a failure. */
final class RestoreBackoff {
    private static final int DOUBLINGS_MAX = 20;

    private int damaged;

    /** Nanoseconds until the next attempt. After damage the pause doubles; after other failures it does not. */
    long failed(UniserveException error) {
        damaged = error.code() == ErrorCode.CORRUPT ? damaged + 1 : 0;
        long pause = Limits.RESTORE_RETRY_MS_MIN << Math.min(Math.max(0, damaged - 1), DOUBLINGS_MAX);
        return 1_000_000 * Math.min(pause, Limits.RESTORE_RETRY_MS_MAX);
    }

    /** True after consecutive attempts that found damage. A single one may be a read error. */
    boolean damagedForGood() {
        return damaged > 1;
    }

    void worked() {
        damaged = 0;
    }
}
