package io.uniserve.runtime.engine;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.async.DiskErrors;
import java.util.function.Supplier;

/**
 * Turns all that a port throws into one exception: a full disk is DISK_FULL, the rest PORT_FAILED with class and message of
 * what was thrown. Failures that are no user's are logged, see {@link PortFailureLog}. A lack of memory is not the port's and
 * passes.
 */
final class PortCallGuard {
    /** First number of the codes that blame Uniserve or the port, not a user: among these hides a full disk. */
    private static final int INTERNAL_RANGE = 4_000;

    private PortCallGuard() {}

    /**
     * Runs the port's code.
     *
     * @param port the port's name, for errors and the log
     * @param what what the port was asked to do
     */
    static <T> T guard(String port, String what, Supplier<T> work) {
        String call = "port " + port + ": " + what;
        try {
            return work.get();
        } catch (UniserveException e) {
            PortFailureLog.INSTANCE.failed(call, e);
            if (e.code().number() >= INTERNAL_RANGE && DiskErrors.isDiskFull(e)) {
                throw DiskErrors.of(call, e);
            }
            throw e;
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            PortFailureLog.INSTANCE.failed(call, e);
            if (e instanceof RuntimeException failure && DiskErrors.isDiskFull(failure)) {
                throw DiskErrors.of(call, failure);
            }
            throw new UniserveException(ErrorCode.PORT_FAILED, call + " failed with " + PortFailureLog.named(e), e);
        }
    }
}
