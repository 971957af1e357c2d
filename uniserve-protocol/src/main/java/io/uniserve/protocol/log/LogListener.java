package io.uniserve.protocol.log;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.message.LogEntry;

/** Receiver of the results of appends. */
public interface LogListener {
    /** The entry is the last one of the log now, and is not on disk yet. */
    default void onAppended(LogEntry entry) {}

    /** All entries up to this index are on disk. */
    void onDurable(long index);

    /** A write failed: the entries from this index on were removed, and the log continues before them. */
    void onAppendFailed(long from, UniserveException error);

    /** Durable entries failed their checks when they were read. They can no longer be sent to other replicas. */
    void onDamaged(UniserveException error);

    /** The state of the file is unknown: the process must end. */
    void onFatal(UniserveException error);
}
