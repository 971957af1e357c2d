package io.uniserve.client.operation;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Limits on concurrent operations and the bytes of their rows. A blocking call waits at the limit until its deadline. An asynchronous
 * call fails at once with RESOURCE_EXHAUSTED, so that its caller slows down. Thread-safe.
 */
public final class InFlightLimiter {
    private final int operationsMax;
    private final Semaphore operations;
    private final int kibMax;
    private final Semaphore kib;

    public InFlightLimiter(int operationsMax, long bytesMax) {
        this.operationsMax = operationsMax;
        this.operations = new Semaphore(operationsMax);
        this.kibMax = (int) Math.max(1, Math.min(Integer.MAX_VALUE, bytesMax >> 10));
        this.kib = new Semaphore(kibMax);
    }

    /**
     * Reserves capacity for one operation; run the result once to release it. An operation above the limit of bytes reserves all
     * bytes.
     */
    public Runnable reserve(long bytes, boolean block, long remainingNanos) {
        int wanted = (int) Math.min(kibMax, bytes + 1023 >> 10);
        if (!acquire(operations, 1, block, remainingNanos)) {
            throw limitError(operationsMax + " operations are under way (maxInFlight)");
        }
        if (!acquire(kib, wanted, block, remainingNanos)) {
            operations.release();
            throw limitError((long) kibMax * 1024 + " bytes of rows are under way (maxInFlightBytes)");
        }
        return () -> {
            kib.release(wanted);
            operations.release();
        };
    }

    private static boolean acquire(Semaphore semaphore, int count, boolean block, long remainingNanos) {
        if (count == 0 || semaphore.tryAcquire(count)) {
            return true;
        }
        if (!block) {
            return false;
        }
        try {
            return semaphore.tryAcquire(count, Math.max(0, remainingNanos), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(
                    ErrorCode.CANCELLED, "interrupted while waiting for other operations to end", e);
        }
    }

    private static UniserveException limitError(String what) {
        return new UniserveException(ErrorCode.RESOURCE_EXHAUSTED, what + "; wait for some to end");
    }
}
