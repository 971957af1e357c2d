package io.uniserve.benchmark.demo;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Polling wait for a condition that depends on another process. */
public final class ConditionWaiter {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private ConditionWaiter() {}

    /** Returns true as soon as the condition holds, false after the time-out. */
    public static boolean await(LongSupplier nanos, long timeoutMs, BooleanSupplier condition) {
        long deadline = nanos.getAsLong() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (!condition.getAsBoolean()) {
            if (nanos.getAsLong() - deadline >= 0) {
                return false;
            }
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw new UniserveException(ErrorCode.CANCELLED, "interrupted");
            }
            LockSupport.parkNanos(PERIOD_NANOS);
        }
        return true;
    }
}
