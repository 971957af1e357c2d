package io.uniserve.server.read;

import io.uniserve.api.Actor;
import io.uniserve.api.SnapshotActor;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An actor's state that sessions read, with a count of who uses it: the table of held states and each read under way. The
 * last one closes it and lets go of the actor. Safe for use by several threads.
 */
final class HeldState {
    private static final Logger LOG = LoggerFactory.getLogger(HeldState.class);

    private final PinnedActor actor;
    private final Actor view;
    private final long version;
    private int users = 2;
    private long untilNanos;

    private HeldState(PinnedActor actor, Actor view, long version, long untilNanos) {
        this.actor = actor;
        this.view = view;
        this.version = version;
        this.untilNanos = untilNanos;
    }

    /**
     * The actor's published state now, for the table and for the caller, who both let go of it; with it goes the pin.
     * UNSUPPORTED where the engine holds none.
     */
    static HeldState take(PinnedActor actor, long version, long untilNanos) {
        boolean taken = false;
        try {
            Actor view = actor.call("snapshot", () -> {
                if (actor.actor() instanceof SnapshotActor<?> able && able.snapshot() instanceof Actor held) {
                    return held;
                }
                throw new UniserveException(
                        ErrorCode.UNSUPPORTED, "this table's engine holds no states; ask it without a session");
            });
            HeldState state = new HeldState(actor, view, version, untilNanos);
            taken = true;
            return state;
        } finally {
            if (!taken) {
                actor.close();
            }
        }
    }

    PinnedActor actor() {
        return actor;
    }

    /** What operators run on. */
    Actor view() {
        return view;
    }

    long version() {
        return version;
    }

    synchronized boolean endedAt(long now) {
        return now - untilNanos >= 0;
    }

    /** Uses it, and holds it at least so long. */
    synchronized void use(long until) {
        users++;
        untilNanos = until - untilNanos > 0 ? until : untilNanos;
    }

    /** Lets go; to be called once for each use. */
    void release() {
        if (left()) {
            try {
                actor.call("closing a snapshot", () -> {
                    view.close();
                    return view;
                });
            } catch (UniserveException e) {
                LOG.warn("what a snapshot held may stay until the server ends", e);
            } finally {
                actor.close();
            }
        }
    }

    private synchronized boolean left() {
        return --users == 0;
    }
}
