package io.uniserve.client;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.serial.SerialExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the application gets: the mapped result of an operation, completed on the application's executor, always with a plain
 * {@link UniserveException} where it fails. Cancelling it cancels the operation.
 */
final class ClientFuture<T> extends CompletableFuture<T> {
    private final CompletableFuture<?> source;

    private ClientFuture(CompletableFuture<?> source) {
        this.source = source;
    }

    /** The source's result, mapped and completed on the executor. */
    public static <S, T> ClientFuture<T> of(CompletableFuture<S> source, Executor callbacks, Function<S, T> mapper) {
        ClientFuture<T> clientFuture = new ClientFuture<>(source);
        CompletableFuture<S> unused = source.whenComplete((value, error) -> {
            try {
                callbacks.execute(() -> clientFuture.end(value, error, mapper));
            } catch (RejectedExecutionException e) {
                clientFuture.completeExceptionally(new UniserveException(
                        ErrorCode.CANCELLED, "the callback executor takes no more tasks; close the client first", e));
            }
        });
        return clientFuture;
    }

    private <S> void end(S value, @Nullable Throwable error, Function<S, T> mapper) {
        if (error != null) {
            completeExceptionally(plain(error));
            return;
        }
        try {
            complete(mapper.apply(value));
        } catch (RuntimeException | Error e) {
            completeExceptionally(e); // of the application's own combiner, which must not leave its caller waiting
        }
    }

    /** Fails a blocking call made from a callback of the client: it would wait for the very thread that it stands on. */
    static void checkMayBlock() {
        if (SerialExecutor.inside()) {
            throw UniserveException.invalid(
                    "a blocking call of the client from one of its own callbacks; use the Async form there, or a callbackExecutor");
        }
    }

    /** Waits for a result; an interrupt cancels. The error keeps its code and has the waiting caller's stack. */
    public static <T> T await(CompletableFuture<T> future) {
        checkMayBlock();
        try {
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted while waiting for the answer", e);
        } catch (ExecutionException e) {
            UniserveException known = plain(e);
            throw new UniserveException(known.code(), known.reason(), known.tried(), known);
        }
    }

    private static UniserveException plain(Throwable error) {
        Throwable cause = error;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof UniserveException known
                ? known
                : new UniserveException(ErrorCode.INTERNAL, "the client failed inside: " + cause, cause);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        return source.cancel(mayInterruptIfRunning) || cancelled;
    }
}
