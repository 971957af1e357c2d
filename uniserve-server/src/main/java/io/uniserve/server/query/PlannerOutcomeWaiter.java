package io.uniserve.server.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.server.read.worker.CancellationScope;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Blocking wait of a planner's thread for operations on the plan's {@link QueryContext serial executor}. It throws the error of the
 * outcome, and ends early if the caller has cancelled the query. Only {@link #cancel} may be called by other threads.
 */
final class PlannerOutcomeWaiter {
    /** Additional wait after the deadline. The query ends itself at its deadline; this only prevents an endless wait. */
    private static final long SLACK_NANOS = 2_000_000_000L;

    private final QueryContext world;
    private final CancellationScope cancellationScope;
    private final long deadlineNanos;
    private volatile Runnable stop = () -> {};

    PlannerOutcomeWaiter(QueryContext world, CancellationScope cancellationScope, long deadlineNanos) {
        this.world = world;
        this.cancellationScope = cancellationScope;
        this.deadlineNanos = deadlineNanos;
    }

    /** Cancels the query and its running operation, because the caller no longer needs it. */
    void cancel() {
        cancellationScope.cancel();
        stop.run();
    }

    /** True if the caller has cancelled the query. */
    boolean isCancelled() {
        return cancellationScope.isCancelled();
    }

    long remainingNanos() {
        return deadlineNanos - world.env().clock().nanos();
    }

    /** Runs a read on the serial executor and waits for its outcome. */
    <T> T await(QueryReadFactory.Read<T> run) {
        return await(run::start, run::cancel);
    }

    /** Starts an operation on the serial executor and waits for its outcome. */
    <T> T await(Consumer<CompletableFuture<Outcome<T>>> start, Runnable onCancel) {
        if (cancellationScope.isCancelled()) {
            throw new UniserveException(ErrorCode.CANCELLED, "the caller has gone");
        }
        CompletableFuture<Outcome<T>> future = new CompletableFuture<>();
        world.onFailure().set(future::completeExceptionally);
        stop = onCancel;
        world.serialExecutor().execute(() -> start.accept(future));
        if (cancellationScope.isCancelled()) {
            onCancel.run();
        }
        world.plannerExecutor().runAll();
        try {
            Outcome<T> outcome = future.get(Math.max(0, remainingNanos()) + SLACK_NANOS, TimeUnit.NANOSECONDS);
            if (outcome instanceof Outcome.Err<T> failed) {
                throw failed.error();
            }
            return ((Outcome.Ok<T>) outcome).value();
        } catch (TimeoutException e) {
            onCancel.run();
            throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "the query's deadline has passed", e);
        } catch (InterruptedException e) {
            onCancel.run();
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.UNAVAILABLE, "this server is shutting down", e);
        } catch (ExecutionException e) {
            onCancel.run();
            if (e.getCause() instanceof Error error) {
                throw error; // thrown unwrapped, because the caller handles OutOfMemoryError differently
            }
            throw new UniserveException(ErrorCode.INTERNAL, "the query failed: " + e.getCause(), e);
        }
    }
}
