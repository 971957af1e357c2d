package io.uniserve.protocol.env;

/** Called exactly once, on the state machine's own loop, never from inside the call that started the operation. */
@FunctionalInterface
public interface Completion<T> {
    void done(Outcome<T> outcome);
}
