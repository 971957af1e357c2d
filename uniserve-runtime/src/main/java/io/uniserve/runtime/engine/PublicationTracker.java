package io.uniserve.runtime.engine;

import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Whether an actor's applied updates are published, who waits for that, and whether anybody has read it lately: then they are
 * published with each run, as nobody is to wait; else for the first reader who comes. Updates and publishing are one at a
 * time; readers come from any thread.
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

    /** {@code publisher} has the actor published in its turn, and then calls {@link #end}. */
    PublicationTracker(Consumer<PublicationTracker> publisher) {
        this.publisher = publisher;
    }

    boolean complete() {
        if (!wanted) {
            wanted = true;
        }
        return complete;
    }

    /** Updates were applied. */
    void changed() {
        complete = false;
    }

    /** Whether the actor was read not long ago. For the thread that applies. */
    boolean readLately(long now) {
        if (wanted) {
            wanted = false;
            everRead = true;
            readNanos = now;
        }
        return everRead && now - readNanos < UNREAD_NANOS;
    }

    /** True where there is nothing to publish. */
    boolean idle() {
        return complete;
    }

    /** Everything applied so far is published. */
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

    /** The publisher has done what it can: whoever waits looks again. */
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
