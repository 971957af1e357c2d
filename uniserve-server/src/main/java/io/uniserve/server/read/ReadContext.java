package io.uniserve.server.read;

import io.uniserve.api.operator.OperatorContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Clock;
import java.util.function.BooleanSupplier;

/** A request's deadline and cancellation as an operator sees them, for one actor. */
record ReadContext(int actor, Clock clock, long deadlineNanos, BooleanSupplier cancelled) implements OperatorContext {
    @Override
    public long remainingNanos() {
        return deadlineNanos - clock.nanos();
    }

    @Override
    public void checkActive() {
        if (cancelled.getAsBoolean()) {
            throw new UniserveException(ErrorCode.CANCELLED, "the caller has gone");
        }
        if (remainingNanos() <= 0) {
            throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "the query's deadline has passed");
        }
    }
}
