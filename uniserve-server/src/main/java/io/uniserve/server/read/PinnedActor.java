package io.uniserve.server.read;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;
import io.uniserve.api.operator.Operator;
import io.uniserve.protocol.tx.VersionedSnapshots;
import java.util.Optional;
import java.util.function.Supplier;

/** An actor that is not destroyed before it is let go of. */
public interface PinnedActor extends AutoCloseable {
    Actor actor();

    /**
     * The number of the actor's present state on this server, never used for another one, or 0 while it is being changed: what
     * is read between two readings of the same number but 0 is of one state.
     */
    long state();

    /** The operator of the actor's engine with this {@code name@version}. */
    Optional<Operator<?, ?>> operator(String id);

    /** Runs code of the actor's port the way its loader wants it; {@code what} names the work in an error. */
    <T> T call(String what, Supplier<T> work);

    /** True where a reader who begins now sees all that was applied before. */
    default boolean published() {
        return true;
    }

    /** Has it published, and then, on any thread, or when that is not possible, runs the task. */
    default void whenPublished(Runnable task) {
        task.run();
    }

    /** True where the actor's table is read by versions, not by the present state. */
    default boolean atomic() {
        return false;
    }

    /** The state that readers of this version see, 0 for the newest; empty where it is gone. Let go of it before the actor. */
    default Optional<VersionedSnapshots.Ref<ActorView>> at(long version) {
        return Optional.empty();
    }

    /** Lets go of the actor. */
    @Override
    void close();
}
