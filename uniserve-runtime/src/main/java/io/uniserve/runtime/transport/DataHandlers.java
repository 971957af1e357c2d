package io.uniserve.runtime.transport;

/** What answers a server's clients. */
public record DataHandlers(ReadHandler read, UpdateHandler update, QueryHandler query, CutHandler cut) {
    /** Without reads of one moment. */
    public DataHandlers(ReadHandler read, UpdateHandler update, QueryHandler query) {
        this(read, update, query, CutHandler.NONE);
    }
}
