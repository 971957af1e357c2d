package io.uniserve.api.extra;

import io.uniserve.api.ActorView;

/**
 * Actor of an engine with transactions: it can undo updates that it has not published yet, as by a writer's rollback. Each {@link
 * io.uniserve.api.update.EventualUpdate} of such an actor also works as an {@link io.uniserve.api.update.AtomicUpdate}: prepare applies the
 * rows, commit calls {@link #publish}, abort calls {@link #revoke}.
 *
 * <p>At most one version is prepared at a time. Unpublished rows must not be visible in any operator, view, digest or file.
 *
 * <pre>{@code
 * public void stage() {
 *     SQL.run("flush", connection::flush); // may fail; shows nothing
 * }
 *
 * public void publish() {
 *     SQL.run("commit", connection::commit);
 * }
 *
 * public void revoke() {
 *     SQL.run("roll back", connection::rollback);
 * }
 * }</pre>
 *
 * @param <S> the view
 */
public interface RevocableActor<S extends ActorView> extends SnapshotActor<S> {
    /**
     * Does in advance the part of {@link #publish} that is slow or may fail, such as flushing buffers, without making rows visible. The
     * host calls it after all parts of a version are applied.
     */
    default void stage() {}

    /** Undoes all updates since the last {@link #publish}; does nothing if there are none. */
    void revoke();

    /** True: engines with transactions keep committed data, so views share everything unchanged. */
    @Override
    default boolean snapshotsShareData() {
        return true;
    }
}
