package io.uniserve.protocol.replica.engine;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.message.LogEntry;

/** Receiver of events of the replica's engine. */
public interface EngineListener {
    void onApplied();

    /** The engine failed or hangs, and is being rebuilt. */
    void onUnhealthy(String reason);

    /**
     * The engine, rebuilt each time, repeatedly fails for the rows of this update, or has just failed for them once.
     *
     * @param certain false while more attempts follow
     * @return true if the primary replaces the update in the log by REFUSED
     */
    boolean onRejected(LogEntry update, UniserveException error, boolean certain);

    /** The engine can be built neither from local files nor from durable storage. */
    void onDataLost(String reason);
}
