package io.uniserve.protocol.replica.storage;

/**
 * Bounds on log truncation: the last index that followers, learners and the backup no longer need. The replica's own bounds come on top,
 * see {@code LogCleaner}: its checkpoints, a version in doubt, and the newest entries, which are always retained.
 *
 * @param highWatermark high watermark: no replica truncates entries up to it from its end, and no in-sync replica requests them again
 * @param backedUp last index that learners and takeovers do not need, as a checkpoint in durable storage covers it and the shipped log
 * continues there
 * @param learners last index that all learners have on disk
 */
public record LogRetentionBounds(long highWatermark, long backedUp, long learners) {
    /** Retains the whole log. */
    public static final LogRetentionBounds ALL = new LogRetentionBounds(0, 0, 0);

    /**
     * Bounds of a follower: entries that its primary has truncated, as far as both logs are known to agree.
     *
     * @param primaryBase index before the primary's first entry
     * @param matched last entry that is known to equal the primary's
     */
    public static LogRetentionBounds ofFollower(long primaryBase, long matched) {
        return new LogRetentionBounds(Math.min(primaryBase, matched), Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** The last entry that all of these bounds permit to truncate. */
    public long droppableIndex() {
        return Math.min(highWatermark, Math.min(backedUp, learners));
    }

    /** The last entry to truncate, for a replica with this checkpoint and an undecided PREPARE at this index (0: none). */
    public long droppableIndex(long checkpoint, long undecided) {
        long most = Math.min(droppableIndex(), checkpoint);
        return undecided == 0 ? most : Math.min(most, undecided - 1);
    }
}
