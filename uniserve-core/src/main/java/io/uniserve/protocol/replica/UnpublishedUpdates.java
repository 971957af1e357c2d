package io.uniserve.protocol.replica;

import io.uniserve.limit.Limits;

/**
 * What the engine has applied and was not told to publish: a reader who comes has it published for him, so that a load that
 * nobody reads makes few commits. Without readers it is published when no more follows for a moment, or when it is much.
 */
final class UnpublishedUpdates {
    private long bytes;
    private boolean any;
    private long sinceNanos;
    private long doubtfulThrough;

    boolean any() {
        return any;
    }

    void add(int rowsBytes) {
        bytes += rowsBytes;
        any = true;
    }

    /** The last run was applied at this time. */
    void appliedAt(long now) {
        sinceNanos = now;
    }

    boolean tooMany() {
        return bytes >= Limits.UNPUBLISHED_BYTES_MAX;
    }

    boolean rested(long now) {
        return any && now - sinceNanos >= Limits.UNPUBLISHED_QUIET_MS * 1_000_000;
    }

    /** Everything is published. */
    void none() {
        any = false;
        bytes = 0;
    }

    /** The engine was lost, maybe because it could not publish what it had applied up to here. */
    void lost(long applied) {
        doubtfulThrough = any ? Math.max(doubtfulThrough, applied) : doubtfulThrough;
        none();
    }

    /** Whether what follows this index is to be published at once, so that the one that cannot be shows. */
    boolean doubtful(long applied) {
        return applied < doubtfulThrough;
    }
}
