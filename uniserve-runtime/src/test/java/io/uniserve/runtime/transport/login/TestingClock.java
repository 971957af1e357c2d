package io.uniserve.runtime.transport.login;

import io.uniserve.protocol.env.Clock;
import java.util.concurrent.TimeUnit;

/** Clock that a test moves. */
final class TestingClock implements Clock {
    private long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1); // wraps around soon, as nanoTime may

    void passMillis(long millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Override
    public long nanos() {
        return nanos;
    }
}
