package io.uniserve.cli.command;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Polling wait for a result of the coordinator's work. */
public final class ConditionPoller {
    private static final long LOOK_MS = 250;

    private ConditionPoller() {}

    /**
     * Returns the result as soon as there is one. Fails with DEADLINE_EXCEEDED after the time-out.
     *
     * @param look returns the result, or empty while the work is not complete
     * @param late describes the progress for the error
     */
    public static <T> T await(Duration timeout, Supplier<Optional<T>> look, Supplier<String> late)
            throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        for (long waited = 0; ; waited += LOOK_MS) {
            Optional<T> over = look.get();
            if (over.isPresent()) {
                return over.get();
            }
            if (waited >= timeout.toMillis()) {
                throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, late.get());
            }
            never.await(LOOK_MS, TimeUnit.MILLISECONDS);
        }
    }
}
