package io.uniserve.runtime.serial;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executor that runs the tasks of one operation one at a time, on the threads that submit them: the caller's for first requests, the
 * transport's for answers. If another thread is running a task, the new task is queued there and the submitting thread continues. So
 * no thread blocks, and no task runs inside another one. Thread-safe.
 */
public final class SerialExecutor implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);
    private static final ThreadLocal<Boolean> IN_TASK = ThreadLocal.withInitial(() -> false);

    private final Consumer<Throwable> onFailure;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>(2);
    private boolean busy;

    /** {@code broken} receives the exception of a failed task, after which the operation cannot continue. */
    public SerialExecutor(Consumer<Throwable> broken) {
        this.onFailure = broken;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (waiting) {
            if (busy) {
                waiting.add(task);
                return;
            }
            busy = true;
        }
        boolean nested = IN_TASK.get();
        IN_TASK.set(true);
        try {
            Runnable next = task;
            while (next != null) {
                run(next);
                next = next();
            }
        } finally {
            IN_TASK.set(nested);
        }
    }

    private Runnable next() {
        synchronized (waiting) {
            Runnable next = waiting.poll();
            busy = next != null;
            return next;
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("the task of an operation failed", e);
            onFailure.accept(e);
        }
    }

    /** True on a thread that runs a task of any serial executor: it must not block on the result of one. */
    public static boolean isInTask() {
        return IN_TASK.get();
    }
}
