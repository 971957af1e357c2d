package io.uniserve.runtime.transport.server;

import io.uniserve.protocol.env.Timers;
import java.util.concurrent.atomic.AtomicReference;

/** Link between a cancellation and the work that it stops, in any order of arrival. Thread-safe. */
final class CancellationLink implements Timers.Cancel {
    private static final Timers.Cancel CANCELLED = () -> {};

    private final AtomicReference<Timers.Cancel> work = new AtomicReference<>();

    /** Sets the work to stop; stops it at once if the cancellation came first. */
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
