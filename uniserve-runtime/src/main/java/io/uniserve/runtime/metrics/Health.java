package io.uniserve.runtime.metrics;

import io.uniserve.runtime.loop.EventLoop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A daemon's health, asked on its own loop: it lives when the loop answers in time, and is ready when it lacks nothing. Safe
 * for use by several threads.
 */
public final class Health {
    /** A loop that needs longer than this to answer is taken for one that stands still. */
    static final long ANSWER_MS_MAX = 2_000;

    private final EventLoop loop;
    private final Supplier<List<String>> missing;

    /** @param missing called on the loop: a sentence for each thing that the daemon lacks to be ready */
    public Health(EventLoop loop, Supplier<List<String>> missing) {
        this.loop = loop;
        this.missing = missing;
    }

    /** Why the daemon does not live; empty where it does. Waits for the loop, at most two seconds. */
    List<String> notLive() {
        return ask(List::of);
    }

    /** What the daemon lacks to be ready; empty where it is. Waits for the loop, at most two seconds. */
    List<String> notReady() {
        return ask(missing);
    }

    private List<String> ask(Supplier<List<String>> question) {
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
