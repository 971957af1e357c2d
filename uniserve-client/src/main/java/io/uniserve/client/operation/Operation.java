package io.uniserve.client.operation;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.serial.SerialExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Running operation: its serial executor, and the future of its result, completed on that executor. Cancelling the future also
 * cancels the operation on the servers.
 */
public final class Operation<T> extends CompletableFuture<T> {
    private final SerialExecutor serialExecutor = new SerialExecutor(this::onMachineFailure);
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Runnable onEnd;
    private volatile Runnable cancel = () -> {};

    public Operation(Runnable onEnd) {
        this.onEnd = onEnd;
    }

    public Executor serial() {
        return serialExecutor;
    }

    /** Starts the state machine; {@code cancelMachine} cancels it. Both run on the serial executor. */
    public void start(Runnable startMachine, Runnable cancelMachine) {
        cancel = cancelMachine;
        serialExecutor.execute(startMachine);
    }

    /** Completes the operation with the outcome of the state machine. */
    public void end(Outcome<T> outcome) {
        if (ended.compareAndSet(false, true)) {
            onEnd.run();
            boolean unused =
                    outcome instanceof Outcome.Ok<T> ok ? complete(ok.value()) : completeExceptionally(outcome.error());
        }
    }

    private void onMachineFailure(Throwable error) {
        end(Outcome.err(new UniserveException(ErrorCode.INTERNAL, "internal error of the client: " + error, error)));
    }

    /** Cancels the state machine, which then completes the future with CANCELLED. */
    public void cancelMachine() {
        serialExecutor.execute(() -> cancel.run());
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            cancelMachine();
        }
        return cancelled;
    }
}
