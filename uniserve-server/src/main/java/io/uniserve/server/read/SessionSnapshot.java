package io.uniserve.server.read;

/**
 * An actor's state that a session reads, with a count of who uses it: the table of held states and each read under way. The
 * last one lets go of the view. Safe for use by several threads.
 */
final class SessionSnapshot {
    private final SharedEngineSnapshot view;
    private final long version;
    private int users = 2;
    private long untilNanos;

    /** For the table and for the caller, who both let go of it; the caller's use of the view goes with it. */
    SessionSnapshot(SharedEngineSnapshot view, long version, long untilNanos) {
        this.view = view;
        this.version = version;
        this.untilNanos = untilNanos;
    }

    SharedEngineSnapshot view() {
        return view;
    }

    long version() {
        return version;
    }

    synchronized boolean endedAt(long now) {
        return now - untilNanos >= 0;
    }

    synchronized long untilNanos() {
        return untilNanos;
    }

    /** Uses it, and holds it at least so long. */
    synchronized void use(long until) {
        users++;
        untilNanos = until - untilNanos > 0 ? until : untilNanos;
    }

    /** Lets go; to be called once for each use. */
    void release() {
        if (left()) {
            view.release();
        }
    }

    private synchronized boolean left() {
        return --users == 0;
    }
}
