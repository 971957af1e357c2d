package io.uniserve.client;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.time.Duration;

/** Validation of deadlines. */
final class DeadlineValidator {
    private DeadlineValidator() {}

    /** Returns the duration if it is above 0 and at most {@link Limits#DEADLINE_MS_MAX}; else fails with INVALID_ARGUMENT. */
    public static Duration check(String what, Duration deadline) {
        if (deadline.isNegative()
                || deadline.isZero()
                || deadline.compareTo(Duration.ofMillis(Limits.DEADLINE_MS_MAX)) > 0) {
            throw UniserveException.invalid(what + " is " + deadline + ": use more than 0 and at most "
                    + Duration.ofMillis(Limits.DEADLINE_MS_MAX));
        }
        return deadline;
    }
}
