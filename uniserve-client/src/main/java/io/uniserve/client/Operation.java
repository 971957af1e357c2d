package io.uniserve.client;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.serial.SerialExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An operation under way: its serial, and the future of its result, completed on the serial. Cancelling the future cancels
 * the operation on the servers too.
 */
final class Operation<T> extends CompletableFuture<T> {
    private final SerialExecutor serialExecutor = new SerialExecutor(this::broke);
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Runnable onEnd;
    private volatile Runnable cancel = () -> {};

    Operation(Runnable onEnd) {
        this.onEnd = onEnd;
    }

    Executor serial() {
        return serialExecutor;
    }

    /** Starts the machine; {@code cancelMachine} makes it give up. Both run on the serial. */
    void start(Runnable startMachine, Runnable cancelMachine) {
        cancel = cancelMachine;
        serialExecutor.execute(startMachine);
    }

    /** The machine has ended. */
    void end(Outcome<T> outcome) {
        if (ended.compareAndSet(false, true)) {
            onEnd.run();
            boolean unused =
                    outcome instanceof Outcome.Ok<T> ok ? complete(ok.value()) : completeExceptionally(outcome.error());
        }
    }

    private void broke(Throwable error) {
        end(Outcome.err(new UniserveException(ErrorCode.INTERNAL, "the client failed inside: " + error, error)));
    }

    /** Makes the machine give up; the future then gets CANCELLED from it. */
    void giveUp() {
        serialExecutor.execute(() -> cancel.run());
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            giveUp();
        }
        return cancelled;
    }
}
