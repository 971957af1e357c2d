package io.uniserve.runtime.async;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executor for blocking file work on a bounded pool, with completions on a loop. Thread-safe. */
public final class BlockingIoExecutor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BlockingIoExecutor.class);
    private static final int IDLE_SECONDS = 30;
    private static final int CLOSE_SECONDS = 10;

    private final ExecutorService pool;
    private final Executor loop;

    /** Creates the pool. Threads are daemon threads, named after the pool. */
    public BlockingIoExecutor(String name, int threads, Executor loop) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        this.pool = executor;
        this.loop = loop;
    }

    /** Work that may fail. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws IOException;
    }

    /**
     * Runs the work on a thread of the pool.
     *
     * @param what start of the error message, such as {@code cannot read a/b}
     */
    public <T> void run(String what, Completion<T> completion, Work<T> work) {
        try {
            pool.execute(() -> complete(completion, outcome(what, work)));
        } catch (RejectedExecutionException e) {
            complete(completion, Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, what + ": closed", e)));
        }
    }

    private static <T> Outcome<T> outcome(String what, Work<T> work) {
        try {
            return Outcome.ok(work.run());
        } catch (UniserveException e) {
            return Outcome.err(e);
        } catch (IOException | UncheckedIOException e) {
            return Outcome.err(DiskErrorMapper.of(what, e));
        } catch (RuntimeException e) {
            return Outcome.err(new UniserveException(ErrorCode.INTERNAL, what + ": " + e, e));
        } catch (OutOfMemoryError e) {
            LOG.error("{}: out of memory", what, e);
            return Outcome.err(new UniserveException(ErrorCode.RESOURCE_EXHAUSTED, what + ": out of memory", e));
        }
    }

    private <T> void complete(Completion<T> completion, Outcome<T> outcome) {
        try {
            loop.execute(() -> completion.done(outcome));
        } catch (RejectedExecutionException e) {
            LOG.debug("the loop has stopped, dropping a completion", e);
        }
    }

    /** Rejects new work and waits for running work, for at most ten seconds. */
    @Override
    public void close() {
        pool.shutdown();
        try {
            if (!pool.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("file operations are still running after {} s", CLOSE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
