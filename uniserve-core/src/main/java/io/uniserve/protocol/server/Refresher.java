package io.uniserve.protocol.server;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.function.Consumer;

/** Reads something again whenever it may have changed: one read at a time, tried until it succeeds. */
final class Refresher<T> {
    private final Timers timers;
    private final long retryNanos;
    private final Consumer<Completion<T>> read;
    private final Consumer<T> changed;
    private boolean reading;
    private boolean again;
    private boolean stopped;

    Refresher(Timers timers, long retryNanos, Consumer<Completion<T>> read, Consumer<T> changed) {
        this.timers = timers;
        this.retryNanos = retryNanos;
        this.read = read;
        this.changed = changed;
    }

    /** What was read may be old. */
    void dirty() {
        if (stopped) {
            return;
        }
        if (reading) {
            again = true;
            return;
        }
        reading = true;
        again = false;
        read.accept(outcome -> {
            if (stopped) {
                return;
            }
            if (outcome instanceof Outcome.Ok<T> ok) {
                reading = false;
                changed.accept(ok.value());
                if (again) {
                    dirty();
                }
            } else {
                timers.after(retryNanos, () -> {
                    reading = false;
                    dirty();
                });
            }
        });
    }

    void stop() {
        stopped = true;
    }
}
