package io.uniserve.server.read;

import io.uniserve.protocol.env.Clock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fixed number of named threads. A call that does not come back by its deadline holds its thread: engines may not be
 * interrupted, as that closes files under some of them. So such threads are counted, and others take their place until they
 * come back, up to {@link #REPLACED_MAX}.
 */
public final class WorkerPool implements AutoCloseable {
    /** Threads that may be stuck before the pool shrinks. */
    static final int REPLACED_MAX = 64;

    private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);
    private static final long STUCK_AFTER_NANOS = 500_000_000;

    private final String name;
    private final Clock clock;
    private final int threads;
    private final ThreadPoolExecutor executor;
    private final AtomicInteger unfinished = new AtomicInteger();
    private final Set<Call> calls = ConcurrentHashMap.newKeySet();

    /** Makes the pool; its threads start when they are needed. */
    public WorkerPool(String name, int threads, Clock clock) {
        this.name = name;
        this.clock = clock;
        this.threads = threads;
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

    /** Queues a task; false when the pool is closed. */
    public boolean execute(Runnable task) {
        unfinished.incrementAndGet();
        try {
            executor.execute(() -> {
                try {
                    task.run();
                } finally {
                    unfinished.decrementAndGet();
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            unfinished.decrementAndGet();
            LOG.debug("{} is closed", name, e);
            return false;
        }
    }

    /**
     * Has the task run by a thread that somebody lends, in the place of a worker; queues it where no worker is idle, as more
     * threads than that are not to be at work. False when the pool is closed.
     */
    boolean lent(Runnable task, Executor lender) {
        if (idle() == 0 || executor.isShutdown()) {
            return execute(task);
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
    public Call enter(long deadlineNanos) {
        Call call = new Call(deadlineNanos);
        if (Thread.currentThread() instanceof Worker worker && worker.pool == this) {
            calls.add(call);
        }
        return call;
    }

    /** Threads that have not come back from calls whose deadlines are over for a while. */
    int stuck() {
        long now = clock.nanos();
        return (int) calls.stream()
                .filter(call -> now - call.deadlineNanos > STUCK_AFTER_NANOS)
                .count();
    }

    /** Called now and then: makes up for threads that are stuck, and takes back what is no more needed. */
    public void compensate() {
        int stuck = stuck();
        int wanted = threads + Math.min(stuck, REPLACED_MAX);
        if (wanted == executor.getCorePoolSize()) {
            return;
        }
        LOG.warn("{}: {} threads are in calls past their deadline, {} threads in all", name, stuck, wanted);
        if (wanted > executor.getMaximumPoolSize()) {
            executor.setMaximumPoolSize(wanted);
            executor.setCorePoolSize(wanted);
        } else {
            executor.setCorePoolSize(wanted);
            executor.setMaximumPoolSize(wanted);
        }
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
        executor.shutdownNow();
    }

    private static final class Worker extends Thread {
        private final WorkerPool pool;

        private Worker(WorkerPool pool, Runnable task, String name) {
            super(task, name);
            this.pool = pool;
        }
    }

    /** A worker's stay in the engine. */
    public final class Call implements AutoCloseable {
        private final long deadlineNanos;

        private Call(long deadlineNanos) {
            this.deadlineNanos = deadlineNanos;
        }

        @Override
        public void close() {
            calls.remove(this);
        }
    }
}
