package io.uniserve.protocol.log;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.message.LogEntry;

/** Receiver of the results of appends. */
public interface LogListener {
    /** The entry is the last one of the log now, and is not on disk yet. */
    default void appended(LogEntry entry) {}

    /** All entries up to this index are on disk. */
    void durable(long index);

    /** A write failed: the entries from this index on were removed, and the log continues before them. */
    void appendFailed(long from, UniserveException error);

    /** Durable entries failed their checks when they were read. They can no longer be sent to other replicas. */
    void damaged(UniserveException error);

    /** The state of the file is unknown: the process must end. */
    void fatal(UniserveException error);
}
