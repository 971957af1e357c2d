package io.uniserve.protocol.env;

import io.uniserve.error.UniserveException;
import java.util.function.Function;

/** Result of an asynchronous operation. */
public sealed interface Outcome<T> {
    /** The operation succeeded. */
    record Ok<T>(T value) implements Outcome<T> {}

    /** The operation failed, or its outcome is unknown. With OUTCOME_UNKNOWN, DEADLINE_EXCEEDED or UNAVAILABLE it may have happened. */
    record Err<T>(UniserveException error) implements Outcome<T> {}

    /** The value of an operation that succeeded; throws IllegalStateException if it failed. */
    default T value() {
        throw new IllegalStateException("the operation failed", error());
    }

    /** The error of an operation that failed; throws IllegalStateException if it succeeded. */
    default UniserveException error() {
        throw new IllegalStateException("the operation succeeded");
    }

    /** The result of one of the two functions. */
    default <R> R fold(Function<T, R> onValue, Function<UniserveException, R> onError) {
        return this instanceof Ok<T> ok ? onValue.apply(ok.value()) : onError.apply(error());
    }

    /** The outcome with a mapped value; an error stays the same. */
    default <R> Outcome<R> map(Function<T, R> mapping) {
        return fold(value -> new Ok<>(mapping.apply(value)), Err::new);
    }

    static <T> Outcome<T> ok(T value) {
        return new Ok<>(value);
    }

    static <T> Outcome<T> err(UniserveException error) {
        return new Err<>(error);
    }
}
