package io.uniserve.runtime.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableMeta;
import io.uniserve.protocol.tx.VersionedSnapshots;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A live actor with what of it is published, and a count of who holds it: the host itself, and each reader. When the last one
 * lets go the actor is destroyed, so a reader never sees it vanish and nobody waits. Each of its states has a number, given anew
 * after every run of updates and every publication, by which reads can tell that they saw the same one. Safe for use by several
 * threads.
 */
public final class HostedActor {
    private final Actor actor;
    private final TableMeta meta;
    private final OpenPort port;
    private final Runnable whenFree;
    private final AtomicInteger holders = new AtomicInteger(1);
    private final PublicationTracker publicationTracker;
    private final @Nullable ActorTransactionState atomic;
    private volatile long state;

    HostedActor(
            Actor actor,
            TableMeta meta,
            OpenPort port,
            long state,
            PublicationTracker publicationTracker,
            @Nullable ActorTransactionState atomic,
            Runnable whenFree) {
        this.atomic = atomic;
        this.state = state;
        this.actor = actor;
        this.meta = meta;
        this.port = port;
        this.publicationTracker = publicationTracker;
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

    /**
     * The number of the actor's present state, or 0 while it is being changed. Two readings of the same number but 0 mean that
     * whatever was read of the actor between them is of one state.
     */
    public long state() {
        return state;
    }

    /** Before anything that operators may see is changed; whoever changes it calls {@link #changed} when all is done. */
    void changing() {
        state = 0;
    }

    /** The change is complete and visible; the number is not 0 and was never used. */
    void changed(long newState) {
        state = newState;
    }

    /** True where its updates are parts of atomic ones: readers see states by version, never the actor itself. */
    public boolean atomic() {
        return atomic != null;
    }

    /**
     * The state of an atomic table's actor that readers of this version see, 0 for the newest; empty where it is gone. Let go
     * of it before the actor.
     */
    public Optional<VersionedSnapshots.Ref<ActorView>> at(long version) {
        return atomic == null ? Optional.empty() : atomic.at(version);
    }

    /** INTERNAL where the table is eventual. */
    ActorTransactionState parts() {
        if (atomic == null) {
            throw new UniserveException(ErrorCode.INTERNAL, "table " + meta.name() + " is eventual");
        }
        return atomic;
    }

    OpenPort port() {
        return port;
    }

    /** Closes its states and the actor, where the whole engine is closed. */
    void close() {
        if (atomic != null) {
            atomic.close();
        }
        port.run("closing an actor", actor::close);
    }

    PublicationTracker publication() {
        return publicationTracker;
    }

    /**
     * True where a reader sees all that was applied before this call; else see {@link #whenPublished}. Whoever asks is a
     * reader, for whom updates are published at once for a while.
     */
    public boolean published() {
        return publicationTracker.complete();
    }

    /** Runs the task, on any thread, once all that was applied before this call is published, or cannot be. */
    public void whenPublished(Runnable task) {
        publicationTracker.await(task);
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
