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
 * Future for the application: the mapped result of an operation, completed on the application's executor. Its exception is always a
 * plain {@link UniserveException}, or the one of the application's combiner. Cancelling it cancels the operation.
 */
final class ClientFuture<T> extends CompletableFuture<T> {
    private final CompletableFuture<?> source;

    private ClientFuture(CompletableFuture<?> source) {
        this.source = source;
    }

    /** Maps the source's result and completes on the executor. */
    public static <S, T> ClientFuture<T> of(CompletableFuture<S> source, Executor callbacks, Function<S, T> mapper) {
        ClientFuture<T> clientFuture = new ClientFuture<>(source);
        CompletableFuture<S> unused = source.whenComplete((value, error) -> {
            try {
                callbacks.execute(() -> clientFuture.end(value, error, mapper));
            } catch (RejectedExecutionException e) {
                clientFuture.completeExceptionally(new UniserveException(
                        ErrorCode.CANCELLED, "the callback executor rejects tasks; close the client before it", e));
            }
        });
        return clientFuture;
    }

    private <S> void end(S value, @Nullable Throwable error, Function<S, T> mapper) {
        if (error != null) {
            completeExceptionally(toUniserveException(error));
            return;
        }
        try {
            complete(mapper.apply(value));
        } catch (RuntimeException | Error e) {
            completeExceptionally(e); // from the application's combiner; the future must complete
        }
    }

    /** Rejects a blocking call from a callback of the client: it would wait for its own thread. */
    static void checkMayBlock() {
        if (SerialExecutor.isInTask()) {
            throw UniserveException.invalid(
                    "blocking call from a callback of the client; use the Async form there, or set a callbackExecutor");
        }
    }

    /** Waits for a result. An interrupt cancels the operation. The error keeps its code and gets the stack of the calling thread. */
    public static <T> T await(CompletableFuture<T> future) {
        checkMayBlock();
        try {
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted while waiting for the answer", e);
        } catch (ExecutionException e) {
            UniserveException known = toUniserveException(e);
            throw new UniserveException(known.code(), known.reason(), known.tried(), known);
        }
    }

    private static UniserveException toUniserveException(Throwable error) {
        Throwable cause = error;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof UniserveException known
                ? known
                : new UniserveException(ErrorCode.INTERNAL, "internal error of the client: " + cause, cause);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        return source.cancel(mayInterruptIfRunning) || cancelled;
    }
}
