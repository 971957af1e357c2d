package io.uniserve.protocol.server;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads something again whenever it may have changed: one read at a time, tried until it succeeds. */
final class Refresher<T> {
    private final Timers timers;
    private final long retryNanos;
    private final Consumer<Completion<T>> read;
    private final Consumer<T> changed;
    /** Wait for a read that is to begin. */
    private final List<Runnable> waiting = new ArrayList<>();

    private boolean reading;
    private boolean again;
    private boolean stopped;

    Refresher(Timers timers, long retryNanos, Consumer<Completion<T>> read, Consumer<T> changed) {
        this.timers = timers;
        this.retryNanos = retryNanos;
        this.read = read;
        this.changed = changed;
    }

    /** What was read may be old; tells when what was there at this call, or later, has been read. Nothing is told once it has stopped. */
    void dirty(Runnable whenRead) {
        waiting.add(whenRead);
        dirty();
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
        List<Runnable> told = List.copyOf(waiting);
        waiting.clear();
        read.accept(outcome -> {
            if (stopped) {
                return;
            }
            if (outcome instanceof Outcome.Ok<T> ok) {
                reading = false;
                changed.accept(ok.value());
                told.forEach(Runnable::run);
                if (again) {
                    dirty();
                }
            } else {
                waiting.addAll(0, told);
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
