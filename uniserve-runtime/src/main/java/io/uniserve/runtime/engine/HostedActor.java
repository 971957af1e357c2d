package io.uniserve.runtime.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.transaction.server.VersionedSnapshotCache;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Open actor with its publication state and a reference count: the host and each reader hold it. The last holder to release it
 * destroys it, so a reader never loses it and no thread waits. Each state of the actor has a unique number, new after every run of
 * updates and every publication, with which reads can check that they saw one state. Thread-safe.
 */
public final class HostedActor {
    private final Actor actor;
    private final TableMeta meta;
    private final RunningPort port;
    private final Runnable onRelease;
    private final AtomicInteger useCount = new AtomicInteger(1);
    private final PublicationTracker publicationTracker;
    private final @Nullable ActorTransactionState transactionState;
    private volatile long stateNumber;

    HostedActor(
            Actor actor,
            TableMeta meta,
            RunningPort port,
            long state,
            PublicationTracker publicationTracker,
            @Nullable ActorTransactionState atomic,
            Runnable whenFree) {
        this.transactionState = atomic;
        this.stateNumber = state;
        this.actor = actor;
        this.meta = meta;
        this.port = port;
        this.publicationTracker = publicationTracker;
        this.onRelease = whenFree;
    }

    /** Actor; valid until {@link #release}. */
    public Actor actor() {
        return actor;
    }

    /** Definition of its table. */
    public TableMeta meta() {
        return meta;
    }

    /**
     * Number of the actor's current state, or 0 while it is changing. If two calls return the same number other than 0, everything read
     * between them belongs to one state.
     */
    public long stateNumber() {
        return stateNumber;
    }

    /** Marks the start of a change that operators may see; {@link #endChange} marks its end. */
    void beginChange() {
        stateNumber = 0;
    }

    /** Marks the end of a change, when it is visible. The number must be new and not 0. */
    void endChange(long newState) {
        stateNumber = newState;
    }

    /** True for an actor of an atomic table: readers use its states by version, never the actor itself. */
    public boolean isAtomic() {
        return transactionState != null;
    }

    /**
     * State of an atomic table's actor at this version, 0 for the newest; empty if it is not stored any more. Release it before the
     * actor.
     */
    public Optional<VersionedSnapshotCache.Ref<ActorView>> snapshotAt(long version) {
        return transactionState == null ? Optional.empty() : transactionState.snapshotAt(version);
    }

    /** Transaction state; fails with INTERNAL for an eventual table. */
    ActorTransactionState transactionState() {
        if (transactionState == null) {
            throw new UniserveException(ErrorCode.INTERNAL, "table " + meta.name() + " is eventual");
        }
        return transactionState;
    }

    RunningPort port() {
        return port;
    }

    /** Closes the states and the actor when the whole engine is closed. */
    void close() {
        if (transactionState != null) {
            transactionState.close();
        }
        port.run("closing an actor", actor::close);
    }

    PublicationTracker publicationTracker() {
        return publicationTracker;
    }

    /**
     * True if a reader sees everything that was applied before this call; else see {@link #publishThen}. The call counts as a read:
     * for a while after it updates are published at once.
     */
    public boolean isPublished() {
        return publicationTracker.isComplete();
    }

    /** Runs the task, on any thread, when everything applied before this call is published, or cannot be published. */
    public void publishThen(Runnable task) {
        publicationTracker.awaitPublication(task);
    }

    /** Adds a holder; false if the actor is already being destroyed. */
    boolean acquire() {
        int count = useCount.get();
        while (count > 0) {
            if (useCount.compareAndSet(count, count + 1)) {
                return true;
            }
            count = useCount.get();
        }
        return false;
    }

    /** Removes a holder. Call it exactly once per hold. */
    public void release() {
        if (useCount.decrementAndGet() == 0) {
            onRelease.run();
        }
    }
}
