package io.uniserve.protocol.message;

import io.uniserve.model.TableName;

/** A query in the engine's own language, planned on the server that gets it. */
public record QueryRequest(TableName table, String text, long remainingNanos) {}
