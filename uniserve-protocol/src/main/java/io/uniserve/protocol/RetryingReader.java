package io.uniserve.protocol;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reader that repeats a read whenever the value may have changed: one read at a time, retried until it succeeds. */
public final class RetryingReader<T> {
    private final Timers timers;
    private final long retryNanos;
    private final Consumer<Completion<T>> read;
    private final Consumer<T> onRead;
    private final Consumer<UniserveException> onFailed;
    /** Completions that wait for the next read. */
    private final List<Completion<Done>> waiting = new ArrayList<>();

    private boolean reading;
    private boolean readAgain;
    private boolean stopped;

    public RetryingReader(Timers timers, long retryNanos, Consumer<Completion<T>> read, Consumer<T> changed) {
        this(timers, retryNanos, read, changed, error -> {});
    }

    /** @param failed gets the error of each failed read, which is retried */
    public RetryingReader(
            Timers timers,
            long retryNanos,
            Consumer<Completion<T>> read,
            Consumer<T> changed,
            Consumer<UniserveException> failed) {
        this.timers = timers;
        this.retryNanos = retryNanos;
        this.read = read;
        this.onRead = changed;
        this.onFailed = failed;
    }

    /** Requests another read. Completes with a value that was read after this call, or fails with the error of that read. */
    public void requestRead(Completion<Done> whenRead) {
        waiting.add(whenRead);
        requestRead();
    }

    /** Requests another read, as the value may have changed. */
    public void requestRead() {
        if (stopped) {
            return;
        }
        if (reading) {
            readAgain = true;
            return;
        }
        reading = true;
        readAgain = false;
        List<Completion<Done>> told = List.copyOf(waiting);
        waiting.clear();
        read.accept(outcome -> {
            if (stopped) {
                return;
            }
            if (outcome instanceof Outcome.Ok<T> ok) {
                reading = false;
                onRead.accept(ok.value());
                told.forEach(one -> one.done(Outcome.ok(Done.DONE)));
                if (readAgain) {
                    requestRead();
                }
            } else {
                timers.after(retryNanos, () -> {
                    reading = false;
                    requestRead();
                });
                UniserveException error = outcome.error();
                told.forEach(one -> one.done(Outcome.err(error)));
                onFailed.accept(error);
            }
        });
    }

    public void stop() {
        stopped = true;
    }
}
