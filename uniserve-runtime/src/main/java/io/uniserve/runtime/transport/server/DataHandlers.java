package io.uniserve.runtime.transport.server;

import io.uniserve.runtime.transport.QueriesHandler;

/** Handlers of requests of clients. */
public record DataHandlers(
        ReadHandler read,
        UpdateRpcHandler update,
        QueryHandler query,
        ConsistentSnapshotHandler snapshot,
        QueriesHandler queries) {
    /** Handlers without snapshots of several tables and without a list of running queries. */
    public DataHandlers(ReadHandler read, UpdateRpcHandler update, QueryHandler query) {
        this(read, update, query, ConsistentSnapshotHandler.NONE);
    }

    /** Handlers without a list of running queries. */
    public DataHandlers(ReadHandler read, UpdateRpcHandler update, QueryHandler query, ConsistentSnapshotHandler cut) {
        this(read, update, query, cut, QueriesHandler.NONE);
    }
}
