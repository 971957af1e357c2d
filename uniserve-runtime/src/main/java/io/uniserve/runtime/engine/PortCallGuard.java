package io.uniserve.runtime.engine;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.async.DiskErrorMapper;
import java.util.function.Supplier;

/**
 * Mapping of all exceptions of a port to {@link UniserveException}: a full disk is DISK_FULL, the others PORT_FAILED with class and
 * message. Failures that no user has caused are logged, see {@link PortFailureLogger}. An OutOfMemoryError is not the port's and is
 * passed on.
 */
final class PortCallGuard {
    /** First number of the error codes that blame Uniserve or the port, not a user. A full disk can be behind these. */
    private static final int INTERNAL_RANGE = 4_000;

    private PortCallGuard() {}

    /**
     * Runs the port's code.
     *
     * @param port name of the port, for errors and the log
     * @param what name of the call
     */
    static <T> T guard(String port, String what, Supplier<T> work) {
        String call = "port " + port + ": " + what;
        try {
            return work.get();
        } catch (UniserveException e) {
            PortFailureLogger.INSTANCE.log(call, e);
            if (e.code().number() >= INTERNAL_RANGE && DiskErrorMapper.isDiskFull(e)) {
                throw DiskErrorMapper.of(call, e);
            }
            throw e;
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            PortFailureLogger.INSTANCE.log(call, e);
            if (e instanceof RuntimeException failure && DiskErrorMapper.isDiskFull(failure)) {
                throw DiskErrorMapper.of(call, failure);
            }
            throw new UniserveException(
                    ErrorCode.PORT_FAILED, call + " failed with " + PortFailureLogger.classAndMessage(e), e);
        }
    }
}
