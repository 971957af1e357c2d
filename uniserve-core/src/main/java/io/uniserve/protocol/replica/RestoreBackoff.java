package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;

/** How long to wait before a replica is fetched again from durable storage that could not be used. */
final class RestoreBackoff {
    private static final int DOUBLINGS_MAX = 20;

    private int damaged;

    /** Nanoseconds until the next attempt: what is damaged is fetched ever more seldom, storage that only fails is not. */
    long failed(UniserveException error) {
        damaged = error.code() == ErrorCode.CORRUPT ? damaged + 1 : 0;
        long pause = Limits.RESTORE_RETRY_MS_MIN << Math.min(Math.max(0, damaged - 1), DOUBLINGS_MAX);
        return 1_000_000 * Math.min(pause, Limits.RESTORE_RETRY_MS_MAX);
    }

    /** True after damage more than once in a row: what was read wrong only once is no damage. */
    boolean damagedForGood() {
        return damaged > 1;
    }

    void worked() {
        damaged = 0;
    }
}
