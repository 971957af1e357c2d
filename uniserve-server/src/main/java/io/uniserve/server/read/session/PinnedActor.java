package io.uniserve.server.read.session;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;
import io.uniserve.api.operator.Operator;
import io.uniserve.protocol.transaction.server.VersionedSnapshotCache;
import java.util.Optional;
import java.util.function.Supplier;

/** Pinned actor: it stays open until the pin is closed. */
public interface PinnedActor extends AutoCloseable {
    Actor actor();

    /**
     * Number of the actor's present state on this server. It is unique, or 0 while the state changes. A read belongs to one state if
     * the number is the same before and after it, and not 0.
     */
    long stateNumber();

    /** The operator of the actor's engine with this {@code name@version}. */
    Optional<Operator<?, ?>> operator(String id);

    /** Runs code of the actor's port with the context class loader of the port; {@code what} names the work in errors. */
    <T> T call(String what, Supplier<T> work);

    /** True if a reader that starts now sees everything that was applied before. */
    default boolean isPublished() {
        return true;
    }

    /** Publishes what is applied, and then runs the task, on any thread. Also runs it if publishing fails. */
    default void publishThen(Runnable task) {
        task.run();
    }

    /** True if the actor's table is atomic: it is read by version, not by its present state. */
    default boolean isAtomic() {
        return false;
    }

    /** State of the actor at this version, 0 for the newest; empty if it is not kept any more. Release it before the actor. */
    default Optional<VersionedSnapshotCache.Ref<ActorView>> snapshotAt(long version) {
        return Optional.empty();
    }

    /** Releases the pin. */
    @Override
    void close();
}
