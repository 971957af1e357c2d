package io.uniserve.benchmark.balance;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads of clients. */
final class ClientLoops {
    private ClientLoops() {}

    /** Runs the loops, each in a thread of its own, while the action runs in the calling thread. Waits for all of them after the stop. */
    static void run(List<Runnable> loops, Runnable action, Runnable stop) {
        ExecutorService pool = Executors.newFixedThreadPool(loops.size());
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (Runnable loop : loops) {
                ends.add(pool.submit(loop));
            }
            try {
                action.run();
            } finally {
                stop.run();
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } catch (ExecutionException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "a client ended: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        } finally {
            pool.shutdownNow();
        }
    }
}
