package io.uniserve.runtime.engine;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.function.Supplier;

/** Turns whatever a port throws into one exception. A lack of memory is not the port's and passes. */
final class PortErrors {
    private PortErrors() {}

    /** Runs the port's code; {@code what} says in an error what it was asked to do. */
    static <T> T guard(String what, Supplier<T> work) {
        try {
            return work.get();
        } catch (UniserveException e) {
            throw e;
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            throw new UniserveException(ErrorCode.PORT_FAILED, what + " failed in the port: " + e, e);
        }
    }
}
