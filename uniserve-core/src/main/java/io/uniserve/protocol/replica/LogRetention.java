package io.uniserve.protocol.replica;

/**
 * How far others allow an actor's log to be dropped, each as the last entry that it does without: a pure rule. The replica's own
 * checkpoints, what is prepared and undecided, and the tail that is always kept come on top, see {@link LogCleaner}.
 *
 * @param stable what every in-sync replica has on disk: nobody cuts the log before it, and none of them asks for it again
 * @param backedUp what a checkpoint in durable storage covers and the log there goes on from: a learner and a takeover need no
 *     more
 * @param learners what every learner under way has on disk
 */
record LogRetention(long stable, long backedUp, long learners) {
    /** Nothing may go. */
    static final LogRetention ALL = new LogRetention(0, 0, 0);

    /**
     * That of a follower: what its primary's log no longer has, as far as it has been told that both logs agree.
     *
     * @param primaryBase index before the primary's first entry
     * @param matched the last entry known to be as the primary has it
     */
    static LogRetention ofFollower(long primaryBase, long matched) {
        return new LogRetention(Math.min(primaryBase, matched), Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** The last entry that may go for all of these. */
    long through() {
        return Math.min(stable, Math.min(backedUp, learners));
    }

    /** The last entry that may go where a replica has this checkpoint to begin from, and this entry is undecided (0: none). */
    long through(long checkpoint, long undecided) {
        long most = Math.min(through(), checkpoint);
        return undecided == 0 ? most : Math.min(most, undecided - 1);
    }
}
