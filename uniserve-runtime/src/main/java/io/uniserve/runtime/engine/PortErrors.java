package io.uniserve.runtime.engine;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.async.DiskErrors;
import java.util.function.Supplier;

/** Turns whatever a port throws into one exception: a full disk is DISK_FULL, the rest PORT_FAILED. A lack of memory is not the port's and passes. */
final class PortErrors {
    /** First number of the codes that blame Uniserve or the port, not a user: among these hides a full disk. */
    private static final int INTERNAL_RANGE = 4_000;

    private PortErrors() {}

    /** Runs the port's code; {@code what} says in an error what it was asked to do. */
    static <T> T guard(String what, Supplier<T> work) {
        try {
            return work.get();
        } catch (UniserveException e) {
            if (e.code().number() >= INTERNAL_RANGE && DiskErrors.isDiskFull(e)) {
                throw DiskErrors.of(what, e);
            }
            throw e;
        } catch (RuntimeException e) {
            if (DiskErrors.isDiskFull(e)) {
                throw DiskErrors.of(what, e);
            }
            throw failed(what, e);
        } catch (LinkageError | StackOverflowError | AssertionError e) {
            throw failed(what, e);
        }
    }

    private static UniserveException failed(String what, Throwable cause) {
        return new UniserveException(ErrorCode.PORT_FAILED, what + " failed in the port: " + cause, cause);
    }
}
