package io.uniserve.server.read;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.engine.PortFailureLogger;

/** Mapping from a failure inside a port to the error for the caller. */
public final class PortErrorMapper {
    private static final int INTERNAL_RANGE = 4_000;

    private PortErrorMapper() {}

    /**
     * Maps a failure. The port's own rejections (bad argument, deadline, too large) keep their codes. All other exceptions of a port become
     * PORT_FAILED, to distinguish bugs of an engine from bugs of Uniserve.
     */
    public static UniserveException toUniserveException(String what, Throwable failure) {
        PortFailureLogger.INSTANCE.log(what, failure);
        if (failure instanceof UniserveException known && known.code().number() < INTERNAL_RANGE) {
            return known;
        }
        if (failure instanceof UniserveException known && known.code().number() > INTERNAL_RANGE + 1_000) {
            return known;
        }
        return new UniserveException(
                ErrorCode.PORT_FAILED, what + " failed with " + PortFailureLogger.classAndMessage(failure), failure);
    }
}
