package io.uniserve.protocol.server;

import io.uniserve.error.UniserveException;

/** Ends the process: its state can no longer be trusted (failed fsync, another cluster, its identity in use). */
@FunctionalInterface
public interface FatalHandler {
    void fatal(UniserveException error);

    /**
     * A running server has left service for good, since its registry is lost or another cluster's. It has stopped acting and
     * touches nothing any more; a handler that lets the process go on has it refuse every request with this error.
     */
    default void outOfService(UniserveException error) {
        fatal(error);
    }
}
