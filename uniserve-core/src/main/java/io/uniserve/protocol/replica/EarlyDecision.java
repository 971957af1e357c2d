package io.uniserve.protocol.replica;

/**
 * What became of the version that is prepared in an engine, known from the table's log before the actor's own log says it.
 * It is carried out at once, since readers wait for it, and passed over when the log comes to it.
 */
final class EarlyDecision {
    private long version;
    private boolean commits;
    private boolean carriedOut;

    /** The table's log says this. */
    void tell(long decided, boolean commit) {
        if (version != decided) {
            version = decided;
            commits = commit;
            carriedOut = false;
        }
    }

    /** The engine is a new one. */
    void forget() {
        version = 0;
        carriedOut = false;
    }

    /** True when the outcome of this version is known and not carried out. */
    boolean due(long open) {
        return open != 0 && open == version && !carriedOut;
    }

    boolean commits() {
        return commits;
    }

    void carriedOut() {
        carriedOut = true;
    }

    /** The version that was carried out last, 0 for none. */
    long done() {
        return carriedOut ? version : 0;
    }

    /** The same where it was committed. */
    long committed() {
        return carriedOut && commits ? version : 0;
    }
}
