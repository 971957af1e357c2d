package io.uniserve.server.read.session;

import io.uniserve.api.ActorUsage;
import io.uniserve.api.ActorView;
import io.uniserve.api.extra.SnapshotActor;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Engine's view of one state of an actor, shared by all sessions that read this state, with a reference count. The last user closes
 * it and releases the actor. Thread-safe.
 */
public final class SharedEngineSnapshot {
    private static final Logger LOG = LoggerFactory.getLogger(SharedEngineSnapshot.class);

    private final PinnedActor actor;
    private final ActorView view;
    private final long stateNumber;
    private volatile long bytes;
    private int useCount = 1;

    private SharedEngineSnapshot(PinnedActor actor, ActorView view, long number) {
        this.actor = actor;
        this.view = view;
        this.stateNumber = number;
    }

    /**
     * Takes a view of the actor's published state, with one use. It takes over the pin. Fails with UNSUPPORTED if the engine has no
     * snapshots.
     */
    static SharedEngineSnapshot take(PinnedActor actor) {
        boolean taken = false;
        try {
            long before = actor.stateNumber();
            ActorView view = actor.call("snapshot", () -> {
                if (actor.actor() instanceof SnapshotActor<?> able) {
                    return able.snapshot();
                }
                throw unsupported();
            });
            SharedEngineSnapshot made =
                    new SharedEngineSnapshot(actor, view, actor.stateNumber() == before ? before : 0);
            taken = true;
            return made;
        } finally {
            if (!taken) {
                actor.close();
            }
        }
    }

    public static UniserveException unsupported() {
        return new UniserveException(
                ErrorCode.UNSUPPORTED, "this table's engine has no snapshots; query it without a session");
    }

    public PinnedActor actor() {
        return actor;
    }

    /** View for operators. */
    public ActorView view() {
        return view;
    }

    /**
     * Requests the size of the view from the engine, in bytes of memory and disk. The size is 0 while it shows the actor's current state,
     * which exists anyway. Call it only with a use of the view.
     */
    long measure() {
        if (stateNumber != 0 && actor.stateNumber() == stateNumber) {
            bytes = 0;
            return 0;
        }
        try {
            ActorUsage usage = actor.call("usage of a snapshot", view::usage);
            bytes = usage.memoryBytes() + usage.diskBytes();
        } catch (UniserveException e) {
            LOG.warn("cannot measure the size of a snapshot, keeping its last size", e);
        }
        return bytes;
    }

    /** Size as of the last measurement. */
    long bytes() {
        return bytes;
    }

    /** Adds a user; false if the view is closed, or shows or may show another state than this one. */
    synchronized boolean acquire(long present) {
        if (useCount == 0 || stateNumber == 0 || stateNumber != present) {
            return false;
        }
        useCount++;
        return true;
    }

    synchronized boolean isClosed() {
        return useCount == 0;
    }

    /** Removes a user. Call it once per use. */
    void release() {
        if (removeUser()) {
            try {
                actor.call("closing a snapshot", () -> {
                    view.close();
                    return view;
                });
            } catch (UniserveException e) {
                LOG.warn("closing a snapshot failed; its resources may stay until the server ends", e);
            } finally {
                actor.close();
            }
        }
    }

    private synchronized boolean removeUser() {
        return --useCount == 0;
    }
}
