package io.uniserve.protocol.env;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.function.Supplier;

/** Where a machine has computed what would hold up its loop. */
@FunctionalInterface
public interface BackgroundExecutor {
    /**
     * Computes elsewhere and completes on the machine's loop. What the work throws is an error.
     *
     * @param work a pure function of values that nobody changes
     */
    <T> void run(Supplier<T> work, Completion<T> completion);

    /** Computes on the loop itself: for what is quick, and for tests. */
    static BackgroundExecutor on(Timers timers) {
        return new BackgroundExecutor() {
            @Override
            public <T> void run(Supplier<T> work, Completion<T> completion) {
                timers.post(() -> completion.done(outcome(work)));
            }
        };
    }

    /** How the work ends. */
    static <T> Outcome<T> outcome(Supplier<T> work) {
        try {
            return Outcome.ok(work.get());
        } catch (UniserveException e) {
            return Outcome.err(e);
        } catch (RuntimeException | StackOverflowError e) {
            return Outcome.err(new UniserveException(ErrorCode.INTERNAL, "the computation failed: " + e, e));
        }
    }
}
