package io.uniserve.runtime.engine;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.time.SystemClock;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads on which engines are called; tells what runs for how long, so that a call that hangs is seen. */
public final class EngineCalls {
    private static final Logger LOG = LoggerFactory.getLogger(EngineCalls.class);
    private static final long CLOSE_WAIT_SECONDS = 10;

    private final Executor loop;
    private final ThreadPoolExecutor pool;
    private final ConcurrentHashMap<Long, Running> running = new ConcurrentHashMap<>();

    EngineCalls(int threads, Executor loop) {
        this.loop = loop;
        AtomicInteger names = new AtomicInteger();
        this.pool = new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "engine-" + names.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** A call under way. */
    public record Running(String what, long sinceNanos) {}

    /** Work of an engine. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws IOException;
    }

    <T> void run(String what, Completion<T> completion, Work<T> work) {
        try {
            pool.execute(() -> {
                Outcome<T> outcome = tracked(what, work);
                loop.execute(() -> completion.done(outcome));
            });
        } catch (RejectedExecutionException e) {
            loop.execute(() -> completion.done(Outcome.err(
                    new UniserveException(ErrorCode.UNAVAILABLE, "cannot " + what + ": the engine is closed", e))));
        }
    }

    void runDetached(String what, Runnable work) {
        try {
            pool.execute(() -> {
                Outcome<Boolean> outcome = tracked(what, () -> {
                    work.run();
                    return true;
                });
                if (outcome instanceof Outcome.Err<Boolean> err) {
                    LOG.warn("{} failed", what, err.error());
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("{} left out: the engine is closed", what);
        }
    }

    private <T> Outcome<T> tracked(String what, Work<T> work) {
        long thread = Thread.currentThread().getId();
        running.put(thread, new Running(what, SystemClock.INSTANCE.nanos()));
        try {
            return Outcome.ok(work.run());
        } catch (UniserveException e) {
            return Outcome.err(e);
        } catch (IOException e) {
            return Outcome.err(new UniserveException(codeOf(e), "cannot " + what + ": " + e, e));
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            LOG.error("{} failed unexpectedly", what, e);
            return Outcome.err(new UniserveException(ErrorCode.INTERNAL, "cannot " + what + ": " + e, e));
        } finally {
            running.remove(thread);
        }
    }

    private static ErrorCode codeOf(IOException e) {
        return String.valueOf(e.getMessage()).contains("No space left") ? ErrorCode.DISK_FULL : ErrorCode.IO;
    }

    List<Running> running() {
        return List.copyOf(running.values());
    }

    void close() {
        pool.shutdown();
        try {
            if (!pool.awaitTermination(CLOSE_WAIT_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("engine calls still run after {} s and are left behind: {}", CLOSE_WAIT_SECONDS, running());
                pool.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
