package io.uniserve.protocol.server.config;

import io.uniserve.error.UniserveException;

/**
 * Handler of fatal errors. It ends the process, because its state can no longer be trusted: a failed fsync, another cluster, or its
 * identity in use.
 */
@FunctionalInterface
public interface FatalErrorHandler {
    void onFatal(UniserveException error);

    /**
     * Handles the permanent stop of a running server, whose registry is lost or belongs to another cluster. The server has stopped all
     * activity. A handler that keeps the process alive must reject every request with this error.
     */
    default void onOutOfService(UniserveException error) {
        onFatal(error);
    }
}
