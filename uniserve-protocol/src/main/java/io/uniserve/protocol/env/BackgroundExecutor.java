package io.uniserve.protocol.env;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.function.Supplier;

/** Executor for computations that would block the event loop of a state machine. */
@FunctionalInterface
public interface BackgroundExecutor {
    /**
     * Computes on another thread and completes on the machine's loop. An exception of the work becomes an error.
     *
     * @param work a pure function of immutable values
     */
    <T> void run(Supplier<T> work, Completion<T> completion);

    /** An executor that computes on the loop itself: for short computations, and for tests. */
    static BackgroundExecutor on(Timers timers) {
        return new BackgroundExecutor() {
            @Override
            public <T> void run(Supplier<T> work, Completion<T> completion) {
                timers.post(() -> completion.done(outcome(work)));
            }
        };
    }

    /** Runs the work and returns its outcome. */
    static <T> Outcome<T> outcome(Supplier<T> work) {
        try {
            return Outcome.ok(work.get());
        } catch (UniserveException e) {
            return Outcome.err(e);
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            return Outcome.err(new UniserveException(ErrorCode.INTERNAL, "the computation failed: " + e, e));
        }
    }
}
