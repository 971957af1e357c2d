package io.uniserve.runtime.serial;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the tasks of one operation one at a time, on whichever thread brings them: the caller's for the first requests, the
 * transport's for answers. A thread that finds another one at work leaves its task with it and goes on, so nobody ever waits
 * and a task never runs inside another one.
 */
public final class SerialExecutor implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);
    private static final ThreadLocal<Boolean> INSIDE = ThreadLocal.withInitial(() -> false);

    private final Consumer<Throwable> broken;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>(2);
    private boolean busy;

    /** {@code broken} hears of a task that threw; the operation can then not go on. */
    public SerialExecutor(Consumer<Throwable> broken) {
        this.broken = broken;
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
        boolean nested = INSIDE.get();
        INSIDE.set(true);
        try {
            Runnable next = task;
            while (next != null) {
                run(next);
                next = next();
            }
        } finally {
            INSIDE.set(nested);
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
            LOG.error("an operation broke", e);
            broken.accept(e);
        }
    }

    /** True on a thread that runs a task of some serial: it must not wait for what a serial is to bring. */
    public static boolean inside() {
        return INSIDE.get();
    }
}
