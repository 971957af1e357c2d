package io.uniserve.cli.bench;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * One client's updates beside what is measured, one after the other: at most so many a second, or as fast as they go. The first
 * error ends them and is thrown by {@link #end}. Not thread-safe.
 */
final class UpdateStream implements AutoCloseable {
    private final AtomicBoolean end = new AtomicBoolean();
    private final CompletableFuture<Long> sent = new CompletableFuture<>();

    /** @param perSecond 0 for as fast as they go */
    UpdateStream(int perSecond, LongSupplier nanos, Runnable update) {
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
                // What could not be sent in time is not made up for: a pause would become a burst.
                due = Math.max(due + interval, nanos.getAsLong());
                for (long left = due - nanos.getAsLong(); left > 0 && !end.get(); left = due - nanos.getAsLong()) {
                    LockSupport.parkNanos(left);
                }
            }
            sent.complete(updates);
        } catch (RuntimeException e) { // whatever it is: who ends the stream waits for it
            sent.completeExceptionally(e);
        }
    }

    /** Ends the stream; returns the updates that were done. */
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
