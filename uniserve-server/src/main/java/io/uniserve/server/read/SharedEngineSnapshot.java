package io.uniserve.server.read;

import io.uniserve.api.ActorUsage;
import io.uniserve.api.ActorView;
import io.uniserve.api.extra.SnapshotActor;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's view of one state of an actor, shared by all sessions that read this state, with a count of them. The last one
 * closes it and lets go of the actor. Safe for use by several threads.
 */
final class SharedEngineSnapshot {
    private static final Logger LOG = LoggerFactory.getLogger(SharedEngineSnapshot.class);

    private final PinnedActor actor;
    private final ActorView view;
    private final long number;
    private volatile long bytes;
    private int users = 1;

    private SharedEngineSnapshot(PinnedActor actor, ActorView view, long number) {
        this.actor = actor;
        this.view = view;
        this.number = number;
    }

    /** The actor's published state now, for the caller, who lets go of it; with it goes the pin. UNSUPPORTED where the engine holds none. */
    static SharedEngineSnapshot take(PinnedActor actor) {
        boolean taken = false;
        try {
            long before = actor.state();
            ActorView view = actor.call("snapshot", () -> {
                if (actor.actor() instanceof SnapshotActor<?> able) {
                    return able.snapshot();
                }
                throw unsupported();
            });
            SharedEngineSnapshot made = new SharedEngineSnapshot(actor, view, actor.state() == before ? before : 0);
            taken = true;
            return made;
        } finally {
            if (!taken) {
                actor.close();
            }
        }
    }

    static UniserveException unsupported() {
        return new UniserveException(
                ErrorCode.UNSUPPORTED, "this table's engine holds no states; ask it without a session");
    }

    PinnedActor actor() {
        return actor;
    }

    /** What operators run on. */
    ActorView view() {
        return view;
    }

    /**
     * Asks the engine what the view keeps by itself, in bytes of memory and disk; nothing while it is the actor's present state,
     * as that is there anyway. To be called by one who uses it.
     */
    long measure() {
        if (number != 0 && actor.state() == number) {
            bytes = 0;
            return 0;
        }
        try {
            ActorUsage usage = actor.call("usage of a snapshot", view::usage);
            bytes = usage.memoryBytes() + usage.diskBytes();
        } catch (UniserveException e) {
            LOG.warn("what a snapshot takes cannot be measured; it counts as before", e);
        }
        return bytes;
    }

    /** As measured last. */
    long bytes() {
        return bytes;
    }

    /** Uses it once more; false where it shows another state than this one, or may, or is closed already. */
    synchronized boolean join(long present) {
        if (users == 0 || number == 0 || number != present) {
            return false;
        }
        users++;
        return true;
    }

    synchronized boolean closed() {
        return users == 0;
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
