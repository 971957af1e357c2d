package io.uniserve.server.read;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Named threads that are shared fairly by table and client. No table and no client has more of them than the pool has by its
 * settings, but for one thread of each further client of a table. Another thread takes the place of each task that runs for long, up to {@link Limits#SPARE_THREADS_MAX}: so what is
 * brief goes on beside it. A call that does not end holds its thread: engines may not be interrupted, as that closes files under
 * some of them. Such threads are counted.
 */
public final class WorkerPool implements AutoCloseable {
    /** Threads in the places of others. */
    static final int REPLACED_MAX = Limits.SPARE_THREADS_MAX;

    private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);
    private static final long STUCK_AFTER_NANOS = 500_000_000;
    private static final long LONG_NANOS = Limits.LONG_TASK_MS * 1_000_000;

    private final String name;
    private final Clock clock;
    private final int threads;
    private final boolean fair;
    private final ThreadPoolExecutor executor;
    private final AtomicInteger unfinished = new AtomicInteger();
    private final FairTasks tasks = new FairTasks();
    private int stuckLogged;
    private volatile boolean closed;

    /** Makes the pool; its threads start when they are needed. */
    public WorkerPool(String name, int threads, Clock clock) {
        this(name, threads, true, clock);
    }

    /**
     * The same.
     *
     * @param fair false for one queue for all, and other threads only for those that do not come back
     */
    public WorkerPool(String name, int threads, boolean fair, Clock clock) {
        this.name = name;
        this.clock = clock;
        this.threads = threads;
        this.fair = fair;
        AtomicInteger number = new AtomicInteger();
        executor = new ThreadPoolExecutor(threads, threads, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Worker(this, task, name + "-" + number.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        });
    }

    int threads() {
        return threads;
    }

    /** Threads that have nothing to do, about. */
    int idle() {
        return Math.max(0, executor.getCorePoolSize() - unfinished.get());
    }

    /** Queues a task of the server's own; false when the pool is closed. */
    public boolean execute(Runnable task) {
        return execute(Share.NONE, task);
    }

    /** Queues a task; false when the pool is closed. */
    public boolean execute(Share share, Runnable task) {
        unfinished.incrementAndGet();
        Share turn = fair ? share : Share.NONE;
        tasks.add(turn, task);
        if (look() || !tasks.remove(turn, task)) {
            return true;
        }
        unfinished.decrementAndGet();
        return false;
    }

    /** Has a thread look for a task that may run; false when the pool is closed. */
    private boolean look() {
        try {
            executor.execute(this::runNext);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.debug("{} is closed", name, e);
            return false;
        }
    }

    private void runNext() {
        boolean more = true;
        while (more) {
            FairTasks.Running next = tasks.take(threads, clock.nanos(), STUCK_AFTER_NANOS);
            if (next != null) {
                run(next);
            }
            // Where none may run, tables and clients have their threads, one of which looks again; a closing pool has
            // no other looks.
            more = next != null && executor.isShutdown() && !closed;
        }
    }

    private void run(FairTasks.Running next) {
        try {
            if (Thread.currentThread() instanceof Worker worker) {
                worker.running = next;
            }
            next.task.run();
        } finally {
            tasks.end(next);
            unfinished.decrementAndGet();
            lookAgain();
        }
    }

    /** A table and a client have one thread less: one task of each may run. */
    private void lookAgain() {
        int waits = tasks.waits();
        for (int i = 0; i < 2 && executor.getQueue().size() < waits && !executor.isShutdown(); i++) {
            look();
        }
    }

    /**
     * Has the task run by a thread that somebody lends, in the place of a worker; queues it where no worker is idle, as more
     * threads than that are not to be at work. False when the pool is closed.
     */
    boolean lent(Share share, Runnable task, Executor lender) {
        if (idle() == 0 || executor.isShutdown()) {
            return execute(share, task);
        }
        unfinished.incrementAndGet();
        lender.execute(() -> {
            try {
                task.run();
            } finally {
                unfinished.decrementAndGet();
            }
        });
        return true;
    }

    /** Marks the calling worker as inside the engine; to be ended in a finally block. No lent thread is made up for. */
    public Call enter(long deadlineNanos, @Nullable CancellationScope cancellationScope) {
        FairTasks.Running task =
                Thread.currentThread() instanceof Worker worker && worker.pool == this ? worker.running : null;
        if (task != null) {
            task.enter(deadlineNanos, cancellationScope);
        }
        return new Call(task);
    }

    /** Threads that have not come back from calls that were to end a while ago: by their deadlines, or as their callers left. */
    public int stuck() {
        return tasks.overSince(STUCK_AFTER_NANOS, clock.nanos());
    }

    /** Makes up for threads in long tasks from now on, until the pool is closed. */
    public void watch(Timers timers) {
        if (!closed) {
            compensate();
            Timers.Cancel unused = timers.after(LONG_NANOS, () -> watch(timers));
        }
    }

    /** Makes up for threads that are in long tasks, and takes back what is no more needed. */
    void compensate() {
        long now = clock.nanos();
        int stuck = tasks.overSince(STUCK_AFTER_NANOS, now);
        int away = fair ? Math.max(stuck, tasks.runningFor(LONG_NANOS, now)) : stuck;
        int wanted = threads + Math.min(away, REPLACED_MAX);
        if (stuck != stuckLogged) {
            LOG.warn("{}: {} threads are in calls that were to end, {} threads in all", name, stuck, wanted);
            stuckLogged = stuck;
        }
        if (wanted > executor.getMaximumPoolSize()) {
            executor.setMaximumPoolSize(wanted);
            executor.setCorePoolSize(wanted);
        } else if (wanted != executor.getCorePoolSize()) {
            executor.setCorePoolSize(wanted);
            executor.setMaximumPoolSize(wanted);
        }
        lookAgain(); // what held a thread beyond its end does not count any more
    }

    /** Takes no more tasks and waits so long for those that run. */
    public void stop(long graceNanos) {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(graceNanos, TimeUnit.NANOSECONDS)) {
                LOG.warn("{}: calls still run after {} ms", name, graceNanos / 1_000_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        executor.shutdownNow();
    }

    private static final class Worker extends Thread {
        private final WorkerPool pool;
        /** Its own thread's. */
        private FairTasks.@Nullable Running running;

        private Worker(WorkerPool pool, Runnable task, String name) {
            super(task, name);
            this.pool = pool;
        }
    }

    /** A worker's stay in the engine. */
    public static final class Call implements AutoCloseable {
        private final FairTasks.@Nullable Running task;

        private Call(FairTasks.@Nullable Running task) {
            this.task = task;
        }

        @Override
        public void close() {
            if (task != null) {
                task.leave();
            }
        }
    }
}
