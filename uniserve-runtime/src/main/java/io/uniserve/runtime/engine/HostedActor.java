package io.uniserve.runtime.engine;

import io.uniserve.api.Actor;
import io.uniserve.model.TableMeta;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A live actor with a count of who holds it: the host itself, and each reader. When the last one lets go the actor is
 * destroyed, so a reader never sees it vanish and nobody waits. Safe for use by several threads.
 */
public final class HostedActor {
    private final Actor actor;
    private final TableMeta meta;
    private final OpenPort port;
    private final Runnable whenFree;
    private final AtomicInteger holders = new AtomicInteger(1);

    HostedActor(Actor actor, TableMeta meta, OpenPort port, Runnable whenFree) {
        this.actor = actor;
        this.meta = meta;
        this.port = port;
        this.whenFree = whenFree;
    }

    /** The actor; valid until {@link #release}. */
    public Actor actor() {
        return actor;
    }

    /** The definition of its table. */
    public TableMeta meta() {
        return meta;
    }

    OpenPort port() {
        return port;
    }

    /** Holds the actor once more; false when it is already going. */
    boolean hold() {
        int count = holders.get();
        while (count > 0) {
            if (holders.compareAndSet(count, count + 1)) {
                return true;
            }
            count = holders.get();
        }
        return false;
    }

    /** Lets go; must be called exactly once per hold. */
    public void release() {
        if (holders.decrementAndGet() == 0) {
            whenFree.run();
        }
    }
}
