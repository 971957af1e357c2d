package io.uniserve.protocol.server;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads something again whenever it may have changed: one read at a time, tried until it succeeds. */
final class RetryingReader<T> {
    private final Timers timers;
    private final long retryNanos;
    private final Consumer<Completion<T>> read;
    private final Consumer<T> changed;
    private final Consumer<UniserveException> failed;
    /** Wait for a read that is to begin. */
    private final List<Completion<Done>> waiting = new ArrayList<>();

    private boolean reading;
    private boolean again;
    private boolean stopped;

    RetryingReader(Timers timers, long retryNanos, Consumer<Completion<T>> read, Consumer<T> changed) {
        this(timers, retryNanos, read, changed, error -> {});
    }

    /** @param failed hears of each read that fails; it is tried again */
    RetryingReader(
            Timers timers,
            long retryNanos,
            Consumer<Completion<T>> read,
            Consumer<T> changed,
            Consumer<UniserveException> failed) {
        this.timers = timers;
        this.retryNanos = retryNanos;
        this.read = read;
        this.changed = changed;
        this.failed = failed;
    }

    /** What was read may be old; tells when what was there at this call, or later, has been read, or that it could not be just now. */
    void dirty(Completion<Done> whenRead) {
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
        List<Completion<Done>> told = List.copyOf(waiting);
        waiting.clear();
        read.accept(outcome -> {
            if (stopped) {
                return;
            }
            if (outcome instanceof Outcome.Ok<T> ok) {
                reading = false;
                changed.accept(ok.value());
                told.forEach(one -> one.done(Outcome.ok(Done.DONE)));
                if (again) {
                    dirty();
                }
            } else {
                timers.after(retryNanos, () -> {
                    reading = false;
                    dirty();
                });
                UniserveException error = outcome.error();
                told.forEach(one -> one.done(Outcome.err(error)));
                failed.accept(error);
            }
        });
    }

    void stop() {
        stopped = true;
    }
}
