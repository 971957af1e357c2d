package io.uniserve.protocol.replica;

/**
 * Outcome of the version that is prepared in an engine, when the transaction log has it and the actor's log does not yet. The engine
 * applies it at once, because readers wait for it. The later DECIDE entry is then skipped.
 */
final class EarlyDecision {
    private long version;
    private boolean commits;
    private boolean carriedOut;

    /** Sets the outcome, as found in the transaction log. */
    void tell(long decided, boolean commit) {
        if (version != decided) {
            version = decided;
            commits = commit;
            carriedOut = false;
        }
    }

    /** Resets the state for a new engine. */
    void forget() {
        version = 0;
        carriedOut = false;
    }

    /** True if the outcome of this version is known and not applied yet. */
    boolean due(long open) {
        return open != 0 && open == version && !carriedOut;
    }

    boolean commits() {
        return commits;
    }

    void carriedOut() {
        carriedOut = true;
    }

    /** The version whose outcome was applied last, 0 for none. */
    long done() {
        return carriedOut ? version : 0;
    }

    /** The same, if that outcome was a commit; else 0. */
    long committed() {
        return carriedOut && commits ? version : 0;
    }
}
