package io.uniserve.server.query;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A planner's thread, which works off reads of its own server instead of only waiting for them: handing them to a worker and
 * their answers back would cost two switches between threads. Only for that thread, but for {@link #isFree}.
 */
final class CallerThreadExecutor implements Executor {
    private final ArrayDeque<Runnable> work = new ArrayDeque<>();
    private volatile @Nullable Thread thread;

    /** The calling thread is the planner's from now on. */
    void begin() {
        thread = Thread.currentThread();
    }

    /** The thread has something else to do from now on. */
    void end() {
        thread = null;
    }

    /** True on the thread while nothing waits for it: a second read had better have a worker of its own. */
    boolean isFree() {
        return Thread.currentThread() == thread && work.isEmpty();
    }

    /** Keeps the work for {@link #runAll}. */
    @Override
    public void execute(Runnable task) {
        work.add(task);
    }

    /** Works off what has been left here, and what is left meanwhile. */
    void runAll() {
        for (Runnable next = work.poll(); next != null; next = work.poll()) {
            next.run();
        }
    }
}
