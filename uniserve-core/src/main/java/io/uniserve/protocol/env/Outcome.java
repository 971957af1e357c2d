package io.uniserve.protocol.env;

import io.uniserve.error.UniserveException;
import java.util.function.Function;

/** Result of an asynchronous operation. */
public sealed interface Outcome<T> {
    /** The operation succeeded. */
    record Ok<T>(T value) implements Outcome<T> {}

    /** The operation failed, or its outcome is unknown. With OUTCOME_UNKNOWN, DEADLINE_EXCEEDED or UNAVAILABLE it may have happened. */
    record Err<T>(UniserveException error) implements Outcome<T> {}

    /** The outcome with a mapped value; an error stays the same. */
    default <R> Outcome<R> map(Function<T, R> mapping) {
        return this instanceof Ok<T> ok ? new Ok<>(mapping.apply(ok.value())) : new Err<>(((Err<T>) this).error());
    }

    static <T> Outcome<T> ok(T value) {
        return new Ok<>(value);
    }

    static <T> Outcome<T> err(UniserveException error) {
        return new Err<>(error);
    }
}
