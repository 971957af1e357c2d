package io.uniserve.runtime.metrics;

import io.uniserve.runtime.loop.EventLoop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Health check of a daemon, run on its own loop. The daemon is live if the loop answers in time, and ready if nothing is missing.
 * Thread-safe.
 */
public final class DaemonHealthCheck {
    /** Time after which the loop counts as blocked. */
    static final long ANSWER_MS_MAX = 2_000;

    private final EventLoop loop;
    private final Supplier<List<String>> missingConditions;

    /**
     * Creates the check.
     *
     * @param missing called on the loop; returns a sentence per missing condition of readiness
     */
    public DaemonHealthCheck(EventLoop loop, Supplier<List<String>> missing) {
        this.loop = loop;
        this.missingConditions = missing;
    }

    /** Reasons why the daemon is not live; empty if it is. Blocks for at most two seconds. */
    List<String> notLive() {
        return evaluateOnLoop(List::of);
    }

    /** Missing conditions of readiness; empty if the daemon is ready. Blocks for at most two seconds. */
    List<String> notReady() {
        return evaluateOnLoop(missingConditions);
    }

    private List<String> evaluateOnLoop(Supplier<List<String>> question) {
        CompletableFuture<List<String>> answer = new CompletableFuture<>();
        if (!loop.tryExecute(() -> answer.complete(question.get()))) {
            return List.of("its loop is overloaded or has ended");
        }
        try {
            return answer.get(ANSWER_MS_MAX, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return List.of("its loop has not answered for " + ANSWER_MS_MAX + " ms");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of("it stops");
        } catch (ExecutionException e) {
            throw new IllegalStateException("nothing completes the answer with an error", e);
        }
    }
}
