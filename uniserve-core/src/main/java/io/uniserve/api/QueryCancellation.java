package io.uniserve.api;

import java.util.function.BooleanSupplier;

/**
 * Deadline and cancellation of a query, for operators ({@link io.uniserve.api.operator.OperatorContext}) and planners
 * ({@link io.uniserve.api.plan.PlanContext}).
 *
 * <p>Thread-safety: the thread of the operator or planner calls the methods; the callback of {@link #onCancel} runs on any thread.
 *
 * <pre>{@code
 * try (QueryCancellation.Watch watch = context.whenGivenUp(statement::cancel)) {
 *     statement.setQueryTimeout(seconds(context.remainingNanos()));
 *     return statement.executeQuery();
 * }
 * }</pre>
 */
public interface QueryCancellation {
    /** Nanoseconds until the deadline; 0 or less after it. */
    long remainingNanos();

    /**
     * Registers a callback that stops work which cannot poll for cancellation, such as a statement in the engine. The callback runs once
     * the caller has cancelled the query: at once if that has already happened, and again at intervals while the watch is open, because
     * engines ignore a stop that arrives before the work starts. It does not run after {@link Watch#close} has returned.
     *
     * <p>The callback must be short and must not throw. It does not replace the deadline: the work itself must keep that. The default does
     * nothing, for hosts that do not track callers.
     *
     * @return the registration; close it when the work has ended
     */
    default Watch onCancel(Runnable stop) {
        return () -> {};
    }

    /** Returns a view of this query whose callbacks run only while the predicate holds. Outside of that, the work ends by its deadline. */
    default QueryCancellation stoppableWhile(BooleanSupplier allowed) {
        QueryCancellation whole = this;
        return new QueryCancellation() {
            @Override
            public long remainingNanos() {
                return whole.remainingNanos();
            }

            @Override
            public Watch onCancel(Runnable stop) {
                return whole.onCancel(() -> {
                    if (allowed.getAsBoolean()) {
                        stop.run();
                    }
                });
            }
        };
    }

    /** Registration of a callback. Close it in a finally block or a try-with-resources statement. */
    @FunctionalInterface
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }
}
