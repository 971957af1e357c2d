package io.uniserve.protocol.log;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.message.LogEntry;

/** Hears what becomes of appended entries. */
public interface LogListener {
    /** An entry is the log's last now, and not on disk yet. */
    default void appended(LogEntry entry) {}

    /** All entries up to this index are on disk. */
    void durable(long index);

    /** The entries from this index on could not be written and are gone from the log; the log goes on before them. */
    void appendFailed(long from, UniserveException error);

    /** Durable entries were read and do not check: what this log holds can no longer be given to others. */
    void damaged(UniserveException error);

    /** Nothing is known about the file any more: the process must end. */
    void fatal(UniserveException error);
}
