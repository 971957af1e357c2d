package io.uniserve.runtime.async;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Completion that a test waits for; it checks that the call is unique and on the loop. */
public final class Waiter<T> implements Completion<T> {
    private static final int SECONDS = 30;

    private final CompletableFuture<Outcome<T>> outcome = new CompletableFuture<>();
    private final CompletableFuture<Thread> thread = new CompletableFuture<>();

    @Override
    public void done(Outcome<T> value) {
        if (!outcome.complete(value)) {
            throw new IllegalStateException("completed twice");
        }
        thread.complete(Thread.currentThread());
    }

    /** Returns the operation's value. */
    public static <T> T value(Consumer<Completion<T>> operation) {
        Outcome<T> outcome = outcome(operation);
        if (outcome instanceof Outcome.Ok<T> ok) {
            return ok.value();
        }
        throw ((Outcome.Err<T>) outcome).error();
    }

    /** Returns the operation's error. */
    public static <T> UniserveException error(Consumer<Completion<T>> operation) {
        Outcome<T> outcome = outcome(operation);
        assertThat(outcome).isInstanceOf(Outcome.Err.class);
        return ((Outcome.Err<T>) outcome).error();
    }

    /** Returns the operation's outcome. */
    public static <T> Outcome<T> outcome(Consumer<Completion<T>> operation) {
        Waiter<T> waiter = new Waiter<>();
        operation.accept(waiter);
        return waiter.await();
    }

    /** Waits for the outcome. */
    public Outcome<T> await() {
        try {
            Outcome<T> result = outcome.get(SECONDS, TimeUnit.SECONDS);
            assertThat(thread.get(SECONDS, TimeUnit.SECONDS).getName()).startsWith(Loop.NAME);
            return result;
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("no completion", e);
        }
    }

    /** True once completed. */
    public boolean isDone() {
        return outcome.isDone();
    }
}
