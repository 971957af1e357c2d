package io.uniserve.port.druid;

import io.uniserve.api.operator.OperatorContext;

/** Context of a caller with one minute of time. */
public class TestingDruidContext implements OperatorContext {
    @Override
    public int actor() {
        return 0;
    }

    @Override
    public long remainingNanos() {
        return 60_000_000_000L;
    }

    @Override
    public void checkActive() {
        // The test waits for the answer.
    }
}
