package io.uniserve.server.read;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.concurrent.atomic.AtomicLong;

/** Memory budget for results that wait to be sent, in bytes. Thread-safe. */
final class ResultMemoryBudget {
    private final long bytesMax;
    private final AtomicLong used = new AtomicLong();

    ResultMemoryBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Reserves these bytes, or fails with RESOURCE_EXHAUSTED. */
    void reserve(long bytes) {
        if (used.addAndGet(bytes) > bytesMax) {
            used.addAndGet(-bytes);
            throw new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "results under way take more than " + bytesMax + " bytes, the smaller of server.result-memory and a"
                            + " quarter of the heap; try again or elsewhere");
        }
    }

    void release(long bytes) {
        used.addAndGet(-bytes);
    }

    long used() {
        return used.get();
    }
}
