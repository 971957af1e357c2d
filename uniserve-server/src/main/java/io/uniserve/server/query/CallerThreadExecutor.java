package io.uniserve.server.query;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Executor that runs reads of the planner's own server on the planner's thread, while it waits for them. A worker would cost two
 * context switches per read. Use on the planner's thread only, except {@link #isFree}.
 */
final class CallerThreadExecutor implements Executor {
    private final ArrayDeque<Runnable> work = new ArrayDeque<>();
    private volatile @Nullable Thread thread;

    /** Registers the calling thread as the planner's thread. */
    void bindThread() {
        thread = Thread.currentThread();
    }

    /** Releases the planner's thread. */
    void unbindThread() {
        thread = null;
    }

    /** True on the planner's thread if its queue is empty. A second read runs faster on a worker. */
    boolean isFree() {
        return Thread.currentThread() == thread && work.isEmpty();
    }

    /** Queues the task for {@link #runAll}. */
    @Override
    public void execute(Runnable task) {
        work.add(task);
    }

    /** Runs all queued tasks, including those that are added meanwhile. */
    void runAll() {
        for (Runnable next = work.poll(); next != null; next = work.poll()) {
            next.run();
        }
    }
}
