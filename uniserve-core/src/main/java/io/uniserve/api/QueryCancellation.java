package io.uniserve.api;

import java.util.function.BooleanSupplier;

/** How long a query may take, as those see it who work for it. */
public interface QueryCancellation {
    /** Nanoseconds that remain until the deadline; 0 or less when it has passed. */
    long remainingNanos();

    /**
     * For work that cannot ask from time to time whether it is still wanted, such as an engine's statement: has it stopped once the
     * caller gives up. What is given here then runs on any thread, at once where that was before, and again after a while as long
     * as the watch is open: engines pass over a stop that comes before they have begun. It does not run any more when {@link
     * Watch#close} has returned. Must be short and must not throw. Deadlines are the work's own to keep; a host that tells of
     * no callers does nothing.
     */
    default Watch whenGivenUp(Runnable stop) {
        return () -> {};
    }

    /** The same for work that is stopped only where this says so: else it ends by its deadline. */
    default QueryCancellation stoppedWhile(BooleanSupplier allowed) {
        QueryCancellation whole = this;
        return new QueryCancellation() {
            @Override
            public long remainingNanos() {
                return whole.remainingNanos();
            }

            @Override
            public Watch whenGivenUp(Runnable stop) {
                return whole.whenGivenUp(() -> {
                    if (allowed.getAsBoolean()) {
                        stop.run();
                    }
                });
            }
        };
    }

    /** To be closed when the work has ended. */
    @FunctionalInterface
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }
}
