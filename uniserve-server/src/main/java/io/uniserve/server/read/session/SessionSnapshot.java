package io.uniserve.server.read.session;

/**
 * State of an actor that a session reads, with a reference count. Users are the table of held states and each read under way; the
 * last one to release it releases the view. Thread-safe.
 */
public final class SessionSnapshot {
    private final SharedEngineSnapshot view;
    private final long version;
    private int useCount = 2;
    private long untilNanos;

    /** Creates a state with two users: the table and the caller. Both must release it. It takes over the caller's use of the view. */
    SessionSnapshot(SharedEngineSnapshot view, long version, long untilNanos) {
        this.view = view;
        this.version = version;
        this.untilNanos = untilNanos;
    }

    public SharedEngineSnapshot view() {
        return view;
    }

    public long version() {
        return version;
    }

    synchronized boolean isExpiredAt(long now) {
        return now - untilNanos >= 0;
    }

    synchronized long untilNanos() {
        return untilNanos;
    }

    /** Adds a user, and extends the hold to at least this time. */
    synchronized void use(long until) {
        useCount++;
        untilNanos = until - untilNanos > 0 ? until : untilNanos;
    }

    /** Removes a user. Call it once per use. */
    public void release() {
        if (removeUser()) {
            view.release();
        }
    }

    private synchronized boolean removeUser() {
        return --useCount == 0;
    }
}
