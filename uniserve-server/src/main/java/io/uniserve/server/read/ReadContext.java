package io.uniserve.server.read;

import io.uniserve.api.operator.OperatorContext;
import io.uniserve.protocol.env.Clock;

/** A running read as its operator sees it. */
record ReadContext(ReadRun run, int actor, long deadlineNanos, Clock clock) implements OperatorContext {
    @Override
    public long remainingNanos() {
        return deadlineNanos - clock.nanos();
    }

    @Override
    public void checkActive() {
        run.checkActive();
    }
}
