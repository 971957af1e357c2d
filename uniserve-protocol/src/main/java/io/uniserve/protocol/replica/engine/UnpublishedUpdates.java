package io.uniserve.protocol.replica.engine;

import io.uniserve.limit.Limits;

/**
 * Updates that the engine has applied and not published. A reader triggers the publication, so a load without readers causes few commits.
 * Without readers they are published after a short rest, or when their size reaches a limit.
 */
final class UnpublishedUpdates {
    private long bytes;
    private boolean any;
    private long sinceNanos;
    private long suspectThrough;

    boolean hasAny() {
        return any;
    }

    void add(int rowsBytes) {
        bytes += rowsBytes;
        any = true;
    }

    /** Notes the time of the last applied batch. */
    void onApplied(long now) {
        sinceNanos = now;
    }

    boolean isOverLimit() {
        return bytes >= Limits.UNPUBLISHED_BYTES_MAX;
    }

    boolean isQuiet(long now) {
        return any && now - sinceNanos >= Limits.UNPUBLISHED_QUIET_MS * 1_000_000;
    }

    /** Notes that everything is published. */
    void clear() {
        any = false;
        bytes = 0;
    }

    /** Notes a failure of the engine. It may have failed to publish the updates up to this index. */
    void onEngineFailed(long applied) {
        suspectThrough = any ? Math.max(suspectThrough, applied) : suspectThrough;
        clear();
    }

    /** Whether updates after this index must be published at once, so that a failing one is found. */
    boolean mustPublishNow(long applied) {
        return applied < suspectThrough;
    }
}
