package io.uniserve.runtime.transport;

/** What answers a server's clients. */
public record DataHandlers(ReadHandler read, UpdateHandler update, QueryHandler query) {}
