package io.uniserve.runtime.transport.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.transport.StatusMapping;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

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

    /** Starts work. If it cannot start, its completion gets the error. */
    static <M> Timers.Cancel start(Supplier<Timers.Cancel> work, Completion<M> completion) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            completion.done(Outcome.err(StatusMapping.toUniserveException(e)));
            return () -> {};
        } catch (Error e) {
            completion.done(
                    Outcome.err(new UniserveException(ErrorCode.INTERNAL, "the request failed: see the log", e)));
            throw e;
        }
    }
}
