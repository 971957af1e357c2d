package io.uniserve.runtime.engine;

import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Publication state of an actor: whether its applied updates are published, the waiting readers, and whether it has been read
 * recently. If it has, updates are published with each run, so that no reader waits; else on the first read. Updates and publishing
 * must be serialized; readers call from any thread.
 */
final class PublicationTracker {
    private static final long UNREAD_NANOS = Limits.UNPUBLISHED_UNREAD_MS * 1_000_000;

    private final Consumer<PublicationTracker> publisher;
    private final List<Runnable> waiting = new ArrayList<>();
    private boolean asked;
    private volatile boolean complete = true;
    private volatile boolean wanted;
    private boolean everRead;
    private long readNanos;

    /** Creates the state. {@code publisher} publishes the actor in order with other changes, and then calls {@link #end}. */
    PublicationTracker(Consumer<PublicationTracker> publisher) {
        this.publisher = publisher;
    }

    boolean complete() {
        if (!wanted) {
            wanted = true;
        }
        return complete;
    }

    /** Records applied, unpublished updates. */
    void changed() {
        complete = false;
    }

    /** True if the actor has been read recently. Call it on the thread that applies updates. */
    boolean readLately(long now) {
        if (wanted) {
            wanted = false;
            everRead = true;
            readNanos = now;
        }
        return everRead && now - readNanos < UNREAD_NANOS;
    }

    /** True if there is nothing to publish. */
    boolean idle() {
        return complete;
    }

    /** Records that everything applied so far is published. */
    void done() {
        complete = true;
    }

    void await(Runnable task) {
        boolean ask;
        synchronized (waiting) {
            waiting.add(task);
            ask = !asked;
            asked = true;
        }
        if (ask) {
            publisher.accept(this);
        }
    }

    /** Ends a publication, successful or not: waiting readers check again. */
    void end() {
        List<Runnable> all;
        synchronized (waiting) {
            all = List.copyOf(waiting);
            waiting.clear();
            asked = false;
        }
        all.forEach(Runnable::run);
    }
}
