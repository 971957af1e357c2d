package io.uniserve.api.extra;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorView;

/**
 * Actor that can hold a consistent view of its published state while updates continue. Sessions, {@link
 * io.uniserve.api.plan.PlanContext#useRepeatableReads} and tables with atomic updates need it. Operators run on the view in place of the
 * actor, so the view must have the class that the operators declare.
 *
 * <p>Thread-safety: several operators read a view concurrently. The host closes all views before the actor.
 *
 * <pre>{@code
 * public KvView snapshot() {
 *     return new KvView(published); // an immutable tree: shares all unchanged nodes
 * }
 *
 * public boolean snapshotsShare() {
 *     return true;
 * }
 * }</pre>
 *
 * @param <S> the view: a class of its own, or the actor's class if operators accept no other
 */
public interface SnapshotActor<S extends ActorView> extends Actor {
    /** Returns a view of the current published state, which later updates do not change. The host limits the number of open views. */
    S snapshot();

    /**
     * Returns whether snapshots share unchanged data with each other and with this actor. If so, the host assumes that an old snapshot
     * costs memory in proportion to later updates; otherwise, as much as the whole actor.
     */
    default boolean snapshotsShareData() {
        return false;
    }
}
