package io.uniserve.runtime.transport;

/** What answers a server's clients. */
public record DataHandlers(
        ReadHandler read,
        UpdateRpcHandler update,
        QueryHandler query,
        ConsistentCutHandler cut,
        QueriesHandler queries) {
    /** Without reads of one moment, and without telling what runs. */
    public DataHandlers(ReadHandler read, UpdateRpcHandler update, QueryHandler query) {
        this(read, update, query, ConsistentCutHandler.NONE);
    }

    /** Without telling what runs. */
    public DataHandlers(ReadHandler read, UpdateRpcHandler update, QueryHandler query, ConsistentCutHandler cut) {
        this(read, update, query, cut, QueriesHandler.NONE);
    }
}
