package io.uniserve.client;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Bounds what is under way: operations, and bytes of rows. A blocking call waits for room until its deadline; an
 * asynchronous one that finds no room fails at once with RESOURCE_EXHAUSTED, as its caller must be told to slow down. Safe
 * for use by several threads.
 */
final class InFlight {
    private final int operationsMax;
    private final Semaphore operations;
    private final int kibMax;
    private final Semaphore kib;

    InFlight(int operationsMax, long bytesMax) {
        this.operationsMax = operationsMax;
        this.operations = new Semaphore(operationsMax);
        this.kibMax = (int) Math.max(1, Math.min(Integer.MAX_VALUE, bytesMax >> 10));
        this.kib = new Semaphore(kibMax);
    }

    /** Takes room for one operation; the result gives it back and is to be run once. An operation larger than all room takes all of it. */
    Runnable enter(long bytes, boolean block, long remainingNanos) {
        int wanted = (int) Math.min(kibMax, bytes + 1023 >> 10);
        if (!take(operations, 1, block, remainingNanos)) {
            throw full(operationsMax + " operations are under way (maxInFlight)");
        }
        if (!take(kib, wanted, block, remainingNanos)) {
            operations.release();
            throw full((long) kibMax * 1024 + " bytes of rows are under way (maxInFlightBytes)");
        }
        return () -> {
            kib.release(wanted);
            operations.release();
        };
    }

    private static boolean take(Semaphore semaphore, int count, boolean block, long remainingNanos) {
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
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted while waiting for room", e);
        }
    }

    private static UniserveException full(String what) {
        return new UniserveException(
                ErrorCode.RESOURCE_EXHAUSTED, what + "; wait for some to end before you start more");
    }
}
