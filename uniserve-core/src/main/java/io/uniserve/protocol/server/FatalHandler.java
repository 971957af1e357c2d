package io.uniserve.protocol.server;

import io.uniserve.error.UniserveException;

/** Ends the process: its state can no longer be trusted (failed fsync, another cluster, its identity in use). */
@FunctionalInterface
public interface FatalHandler {
    void fatal(UniserveException error);
}
