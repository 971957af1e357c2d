package io.uniserve.protocol.env;

import io.uniserve.error.UniserveException;
import java.util.function.Function;

/** How an asynchronous operation ended. */
public sealed interface Outcome<T> {
    /** It succeeded. */
    record Ok<T>(T value) implements Outcome<T> {}

    /** It failed, or its outcome is unknown (OUTCOME_UNKNOWN, DEADLINE_EXCEEDED, UNAVAILABLE: it may have happened). */
    record Err<T>(UniserveException error) implements Outcome<T> {}

    /** The value, mapped; an error stays. */
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
