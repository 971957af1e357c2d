package io.uniserve.runtime.audit;

import io.uniserve.protocol.env.Clock;
import java.util.concurrent.atomic.AtomicLong;

/** Wall clock that moves on by one millisecond per look. Thread-safe. */
final class TestingAuditClock implements Clock {
    private final AtomicLong millis = new AtomicLong(1_700_000_000_000L);

    @Override
    public long nanos() {
        return wallMillis() * 1_000_000;
    }

    @Override
    public long wallMillis() {
        return millis.getAndIncrement();
    }
}
