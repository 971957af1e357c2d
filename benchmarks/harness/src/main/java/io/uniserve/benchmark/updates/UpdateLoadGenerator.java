package io.uniserve.benchmark.updates;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Stream of sequential updates by one client beside a measurement, at a fixed rate or as fast as possible. The first error ends the stream
 * and is thrown by {@link #end}. Not thread-safe.
 */
final class UpdateLoadGenerator implements AutoCloseable {
    private final AtomicBoolean end = new AtomicBoolean();
    private final CompletableFuture<Long> sent = new CompletableFuture<>();

    /** @param perSecond updates per second; 0 for as fast as possible */
    UpdateLoadGenerator(int perSecond, LongSupplier nanos, Runnable update) {
        Thread writer = new Thread(() -> write(perSecond, nanos, update), "bench-writer");
        writer.setDaemon(true);
        writer.start();
    }

    private void write(int perSecond, LongSupplier nanos, Runnable update) {
        long updates = 0;
        long interval = perSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / perSecond;
        try {
            long due = nanos.getAsLong();
            while (!end.get()) {
                update.run();
                updates++;
                // Updates that could not be sent in time are skipped: otherwise a pause would be followed by a burst.
                due = Math.max(due + interval, nanos.getAsLong());
                for (long left = due - nanos.getAsLong(); left > 0 && !end.get(); left = due - nanos.getAsLong()) {
                    LockSupport.parkNanos(left);
                }
            }
            sent.complete(updates);
        } catch (RuntimeException e) { // any exception, because the caller of end() waits for the result
            sent.completeExceptionally(e);
        }
    }

    /** Ends the stream and returns the number of completed updates. */
    long end() {
        end.set(true);
        try {
            return sent.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof UniserveException known
                    ? known
                    : new UniserveException(ErrorCode.INTERNAL, "the stream of updates ended: " + e.getCause(), e);
        }
    }

    @Override
    public void close() {
        end.set(true);
    }
}
