package io.uniserve.api.extra;

import io.uniserve.api.ActorView;
import io.uniserve.api.update.AtomicUpdate;
import io.uniserve.api.update.EventualUpdate;

/**
 * An actor whose engine can take back what it was given and has not published, such as one with a writer that commits and
 * rolls back. Its {@link EventualUpdate}s are {@link AtomicUpdate}s as they are: to prepare is to apply, to commit is to publish.
 * At most one version is prepared at a time, and what is not published is seen by no operator, view, digest or file.
 *
 * @param <S> the view
 */
public interface RevocableActor<S extends ActorView> extends SnapshotActor<S> {
    /**
     * All parts of a version are applied: does whatever of {@link #publish} takes long or may fail and shows nothing, such as
     * writing what is buffered.
     */
    default void stage() {}

    /** Takes back all updates since the last {@link #publish}. Nothing happens where there are none. */
    void revoke();

    /** True: engines that commit keep what they have written, so views share all that was not changed. */
    @Override
    default boolean snapshotsShare() {
        return true;
    }
}
