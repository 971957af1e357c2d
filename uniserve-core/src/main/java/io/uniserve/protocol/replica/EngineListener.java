package io.uniserve.protocol.replica;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.message.LogEntry;

/** Hears how the replica's engine gets on. */
interface EngineListener {
    void applied();

    /** The engine failed or hangs; it is being rebuilt. */
    void unfit(String reason);

    /**
     * The engine, built anew each time, fails again and again for the rows of this update, or began to; true when the
     * primary sees to it that the log refuses it.
     *
     * @param certain false while more attempts follow
     */
    boolean rejected(LogEntry update, UniserveException error, boolean certain);

    /** The engine can be built neither from what is here nor from what is in durable storage. */
    void lost(String reason);
}
