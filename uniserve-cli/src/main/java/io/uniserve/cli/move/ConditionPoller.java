package io.uniserve.cli.move;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Waits for what the coordinator brings about: looks, and looks again a little later. */
public final class ConditionPoller {
    private static final long LOOK_MS = 250;

    private ConditionPoller() {}

    /**
     * What a look gives when it is over; DEADLINE_EXCEEDED when it is not after this time, however often it was looked.
     *
     * @param look empty as long as it is not over
     * @param late says then how far it is
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
