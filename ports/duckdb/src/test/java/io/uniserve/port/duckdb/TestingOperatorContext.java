package io.uniserve.port.duckdb;

import io.uniserve.api.operator.OperatorContext;

/** Somebody with a minute's time, who waits for the answer. */
class TestingOperatorContext implements OperatorContext {
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
        // The test waits.
    }
}
