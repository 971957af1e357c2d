package io.uniserve.runtime.transport;

/** What answers a server's clients. */
public record DataHandlers(
        ReadHandler read, UpdateHandler update, QueryHandler query, CutHandler cut, QueriesHandler queries) {
    /** Without reads of one moment, and without telling what runs. */
    public DataHandlers(ReadHandler read, UpdateHandler update, QueryHandler query) {
        this(read, update, query, CutHandler.NONE);
    }

    /** Without telling what runs. */
    public DataHandlers(ReadHandler read, UpdateHandler update, QueryHandler query, CutHandler cut) {
        this(read, update, query, cut, QueriesHandler.NONE);
    }
}
