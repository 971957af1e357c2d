package io.uniserve.runtime.transport;

import io.uniserve.protocol.env.Timers;
import java.util.concurrent.atomic.AtomicReference;

/** Joins a cancel signal with the work it stops, whichever comes first. Safe for use by several threads. */
final class Cancellation implements Timers.Cancel {
    private static final Timers.Cancel CANCELLED = () -> {};

    private final AtomicReference<Timers.Cancel> work = new AtomicReference<>();

    /** Tells what to stop; stopped at once if the signal came before. */
    void onCancel(Timers.Cancel running) {
        if (!work.compareAndSet(null, running)) {
            running.cancel();
        }
    }

    @Override
    public void cancel() {
        Timers.Cancel running = work.getAndSet(CANCELLED);
        if (running != null) {
            running.cancel();
        }
    }
}
