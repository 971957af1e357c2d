package io.uniserve.protocol.env;

import java.util.function.Consumer;

/** Called exactly once, on the state machine's own loop, never from inside the call that started the operation. */
@FunctionalInterface
public interface Completion<T> {
    void done(Outcome<T> outcome);

    /** Completion of an earlier operation: runs the next step with its value, and completes this one with its error. */
    default <S> Completion<S> then(Consumer<S> next) {
        return outcome -> {
            if (outcome instanceof Outcome.Ok<S> ok) {
                next.accept(ok.value());
            } else {
                done(Outcome.err(outcome.error()));
            }
        };
    }
}
