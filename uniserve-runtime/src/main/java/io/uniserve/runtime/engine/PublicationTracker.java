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
    private boolean publishRequested;
    private volatile boolean complete = true;
    private volatile boolean readSinceLastCheck;
    private boolean everRead;
    private long readNanos;

    /** Creates the state. {@code publisher} publishes the actor in order with other changes, and then calls {@link #endPublication}. */
    PublicationTracker(Consumer<PublicationTracker> publisher) {
        this.publisher = publisher;
    }

    boolean isComplete() {
        if (!readSinceLastCheck) {
            readSinceLastCheck = true;
        }
        return complete;
    }

    /** Records applied, unpublished updates. */
    void onApplied() {
        complete = false;
    }

    /** True if the actor has been read recently. Call it on the thread that applies updates. */
    boolean isReadRecently(long now) {
        if (readSinceLastCheck) {
            readSinceLastCheck = false;
            everRead = true;
            readNanos = now;
        }
        return everRead && now - readNanos < UNREAD_NANOS;
    }

    /** True if there is nothing to publish. */
    boolean isIdle() {
        return complete;
    }

    /** Records that everything applied so far is published. */
    void onPublished() {
        complete = true;
    }

    void awaitPublication(Runnable task) {
        boolean ask;
        synchronized (waiting) {
            waiting.add(task);
            ask = !publishRequested;
            publishRequested = true;
        }
        if (ask) {
            publisher.accept(this);
        }
    }

    /** Ends a publication, successful or not: waiting readers check again. */
    void endPublication() {
        List<Runnable> all;
        synchronized (waiting) {
            all = List.copyOf(waiting);
            waiting.clear();
            publishRequested = false;
        }
        all.forEach(Runnable::run);
    }
}
