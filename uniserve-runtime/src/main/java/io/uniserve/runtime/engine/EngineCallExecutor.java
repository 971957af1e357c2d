package io.uniserve.runtime.engine;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.async.DiskErrorMapper;
import io.uniserve.runtime.time.CpuClock;
import io.uniserve.runtime.time.ServingCpuClock;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Thread pool for calls into engines. Calls that change an actor run one at a time per replica, in order. A long-running call is
 * logged once; if such calls occupy all threads, a few spare threads replace them. Errors that the process must not survive, such as
 * a lack of memory, go to the fatal handler. Thread-safe.
 */
public final class EngineCallExecutor {
    /** Time after which a call counts as stuck. */
    static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** Limit of spare threads while calls are stuck. */
    static final int SPARE_THREADS_MAX = 8;

    private static final Logger LOG = LoggerFactory.getLogger(EngineCallExecutor.class);
    private static final long CLOSE_WAIT_SECONDS = 10;

    private final int threads;
    private final Executor loop;
    private final Clock clock;
    private final ThreadPoolExecutor pool;
    private final KeyedExecutor queues;
    private final RunningCalls running = new RunningCalls();

    /** Creates the pool. {@code fatal} receives, on the failing thread, errors after which the process must end. */
    EngineCallExecutor(int threads, Executor loop, Clock clock, Consumer<Throwable> fatal) {
        this.threads = threads;
        this.loop = loop;
        this.clock = clock;
        AtomicInteger names = new AtomicInteger();
        this.pool = new ThreadPoolExecutor(
                threads, threads + SPARE_THREADS_MAX, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "engine-" + names.incrementAndGet());
                    thread.setDaemon(true);
                    thread.setUncaughtExceptionHandler((failed, error) -> {
                        LOG.error("{} failed, the process must end", failed.getName(), error);
                        fatal.accept(error);
                    });
                    return thread;
                });
        this.queues = new KeyedExecutor(pool);
    }

    /** Running call: a description with the replica, and its start time. */
    public record Running(String what, long startNanos) {}

    /** Work of an engine. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws IOException;
    }

    /** Runs work that changes the replica's actor, after all such work submitted before. */
    <T> void runInOrder(ReplicaKey key, String what, Completion<T> completion, Work<T> work) {
        checkStuckCalls();
        queues.add(key, new CompletingCall<>(what, completion, work));
    }

    /** The same work, with its CPU time counted as background work that no query or update asks for. */
    static <T> Work<T> inBackground(Work<T> work) {
        return () -> {
            long start = CpuClock.nanos();
            try {
                return work.run();
            } finally {
                ServingCpuClock.addBackground(CpuClock.nanos() - start);
            }
        };
    }

    /** Runs work in no particular order. */
    <T> void runConcurrently(String what, Completion<T> completion, Work<T> work) {
        checkStuckCalls();
        CompletingCall<T> call = new CompletingCall<>(what, completion, work);
        try {
            pool.execute(call);
        } catch (RejectedExecutionException e) {
            call.refuse(e);
        }
    }

    /** Runs work without a completion; a failure is logged. */
    void runDetached(String what, Runnable work) {
        Completion<Boolean> completion = outcome -> {
            if (outcome instanceof Outcome.Err<Boolean> err) {
                LOG.atLevel(pool.isShutdown() ? Level.DEBUG : Level.WARN)
                        .setCause(err.error())
                        .log("{} failed", what);
            }
        };
        runConcurrently(what, completion, () -> {
            work.run();
            return true;
        });
    }

    private final class CompletingCall<T> implements KeyedExecutor.Call {
        private final String what;
        private final Completion<T> completion;
        private final Work<T> work;

        private CompletingCall(String what, Completion<T> completion, Work<T> work) {
            this.what = what;
            this.completion = completion;
            this.work = work;
        }

        @Override
        public void run() {
            complete(tracked(what, work));
        }

        @Override
        public void refuse(RejectedExecutionException reason) {
            complete(Outcome.err(
                    new UniserveException(ErrorCode.UNAVAILABLE, "cannot " + what + ": the engine is closed", reason)));
        }

        private void complete(Outcome<T> outcome) {
            try {
                loop.execute(() -> completion.done(outcome));
            } catch (RejectedExecutionException e) {
                LOG.debug("the loop has stopped: dropping the completion of \"{}\"", what, e);
            }
        }
    }

    private <T> Outcome<T> tracked(String what, Work<T> work) {
        Running call = new Running(what, clock.nanos());
        running.begin(call);
        try {
            return Outcome.ok(work.run());
        } catch (UniserveException e) {
            return Outcome.err(e);
        } catch (IOException e) {
            return Outcome.err(DiskErrorMapper.of("cannot " + what, e));
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            LOG.error("{} failed unexpectedly", what, e);
            return Outcome.err(new UniserveException(ErrorCode.INTERNAL, "cannot " + what + ": " + e, e));
        } finally {
            running.end(call);
        }
    }

    /** Checks for stuck calls. Each new call does this, so it needs no thread. */
    private void checkStuckCalls() {
        long now = clock.nanos();
        synchronized (running) {
            int stuck = running.stuck(
                    now - STUCK_NANOS,
                    call -> LOG.warn(
                            "engine call has been running for {} s: {}",
                            TimeUnit.NANOSECONDS.toSeconds(now - call.startNanos()),
                            call.what()));
            int wanted = threads + Math.min(SPARE_THREADS_MAX, Math.max(0, stuck - threads + 1));
            if (wanted != pool.getCorePoolSize()) {
                LOG.warn("{} engine calls are stuck: {} threads instead of {}", stuck, wanted, pool.getCorePoolSize());
                pool.setCorePoolSize(wanted);
            }
        }
    }

    long now() {
        return clock.nanos();
    }

    List<Running> running() {
        return running.all();
    }

    /** Time of the longest running call in nanoseconds; 0 if none is running. */
    long longestNanos() {
        Optional<Running> oldest = running().stream().min(Comparator.comparingLong(Running::startNanos));
        return oldest.map(call -> Math.max(0, clock.nanos() - call.startNanos()))
                .orElse(0L);
    }

    void close() {
        pool.shutdown();
        try {
            if (!pool.awaitTermination(CLOSE_WAIT_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("engine calls still run after {} s, abandoned: {}", CLOSE_WAIT_SECONDS, running());
                RejectedExecutionException closed = new RejectedExecutionException("closed");
                for (Runnable left : pool.shutdownNow()) {
                    ((KeyedExecutor.Call) left).refuse(closed);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
