package io.uniserve.server.read.worker;

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
 * Thread pool that is shared fairly by table and client. One table or client uses at most the configured number of threads, except
 * that each further client of a table may use one more. A spare thread replaces each long-running task, up to
 * {@link Limits#SPARE_THREADS_MAX}, so that short tasks continue. A call that does not end keeps its thread: engines must not be
 * interrupted, as this closes files under some of them. The pool counts such threads. Thread-safe.
 */
public final class WorkerPool implements AutoCloseable {
    /** Limit of spare threads. */
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
    private final FairTaskQueue tasks = new FairTaskQueue();
    private int stuckLogged;
    private volatile boolean closed;

    /** Creates the pool; its threads start when they are needed. */
    public WorkerPool(String name, int threads, Clock clock) {
        this(name, threads, true, clock);
    }

    /**
     * Creates the pool.
     *
     * @param fair false for one queue for all tasks, with spare threads only for stuck threads
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

    /** Approximate number of idle threads. */
    public int idleThreads() {
        return Math.max(0, executor.getCorePoolSize() - unfinished.get());
    }

    /** Queues a task of the server itself; false if the pool is closed. */
    public boolean execute(Runnable task) {
        return execute(FairShareKey.NONE, task);
    }

    /** Queues a task; false if the pool is closed. */
    public boolean execute(FairShareKey share, Runnable task) {
        unfinished.incrementAndGet();
        FairShareKey turn = fair ? share : FairShareKey.NONE;
        tasks.add(turn, task);
        if (wakeWorker() || !tasks.remove(turn, task)) {
            return true;
        }
        unfinished.decrementAndGet();
        return false;
    }

    /** Wakes a thread to run the next task that may run; false if the pool is closed. */
    private boolean wakeWorker() {
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
            FairTaskQueue.Running next = tasks.take(threads, clock.nanos(), STUCK_AFTER_NANOS);
            if (next != null) {
                run(next);
            }
            // If no task may run, the limits are reached, and a thread that ends its task checks again. A closing
            // pool has no such check.
            more = next != null && executor.isShutdown() && !closed;
        }
    }

    private void run(FairTaskQueue.Running next) {
        try {
            if (Thread.currentThread() instanceof Worker worker) {
                worker.running = next;
            }
            next.task.run();
        } finally {
            tasks.end(next);
            unfinished.decrementAndGet();
            wakeWorkers();
        }
    }

    /** Wakes threads after the end of a task: one task of its table and one of its client may run now. */
    private void wakeWorkers() {
        int waits = tasks.waitingCount();
        for (int i = 0; i < 2 && executor.getQueue().size() < waits && !executor.isShutdown(); i++) {
            wakeWorker();
        }
    }

    /**
     * Runs the task on a caller's thread, in place of a worker. Queues it if no worker is idle, to keep the number of active threads
     * within the limit. False if the pool is closed.
     */
    public boolean runOnCallerThread(FairShareKey share, Runnable task, Executor lender) {
        if (idleThreads() == 0 || executor.isShutdown()) {
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

    /**
     * Marks the calling worker as inside the engine. Close it in a finally block. The pool adds no worker to compensate for a
     * caller's thread.
     */
    public EngineCall enterEngine(long deadlineNanos, @Nullable CancellationScope cancellationScope) {
        FairTaskQueue.Running task =
                Thread.currentThread() instanceof Worker worker && worker.pool == this ? worker.running : null;
        if (task != null) {
            task.enterOperator(deadlineNanos, cancellationScope);
        }
        return new EngineCall(task);
    }

    /** Number of threads in calls that still run after a deadline or cancellation some time ago. */
    public int stuckThreads() {
        return tasks.countOverdue(STUCK_AFTER_NANOS, clock.nanos());
    }

    /** Starts to add spare threads for long tasks, until the pool is closed. */
    public void startCompensation(Timers timers) {
        if (!closed) {
            compensate();
            Timers.Cancel unused = timers.after(LONG_NANOS, () -> startCompensation(timers));
        }
    }

    /** Adds spare threads for long tasks, and removes those that are no longer needed. */
    void compensate() {
        long now = clock.nanos();
        int stuck = tasks.countOverdue(STUCK_AFTER_NANOS, now);
        int away = fair ? Math.max(stuck, tasks.countRunningLongerThan(LONG_NANOS, now)) : stuck;
        int wanted = threads + Math.min(away, REPLACED_MAX);
        if (stuck != stuckLogged) {
            LOG.warn("{}: {} threads are stuck in calls after their deadlines, {} threads in all", name, stuck, wanted);
            stuckLogged = stuck;
        }
        if (wanted > executor.getMaximumPoolSize()) {
            executor.setMaximumPoolSize(wanted);
            executor.setCorePoolSize(wanted);
        } else if (wanted != executor.getCorePoolSize()) {
            executor.setCorePoolSize(wanted);
            executor.setMaximumPoolSize(wanted);
        }
        wakeWorkers(); // stuck tasks no longer count for the limits
    }

    /** Rejects new tasks and waits for running ones, at most this long. */
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
        /** Used by this thread only. */
        private FairTaskQueue.@Nullable Running running;

        private Worker(WorkerPool pool, Runnable task, String name) {
            super(task, name);
            this.pool = pool;
        }
    }

    /** Mark of a worker that is inside the engine. */
    public static final class EngineCall implements AutoCloseable {
        private final FairTaskQueue.@Nullable Running task;

        private EngineCall(FairTaskQueue.@Nullable Running task) {
            this.task = task;
        }

        @Override
        public void close() {
            if (task != null) {
                task.leaveOperator();
            }
        }
    }
}
