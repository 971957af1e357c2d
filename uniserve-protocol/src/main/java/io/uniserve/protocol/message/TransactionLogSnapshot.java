package io.uniserve.protocol.message;

import io.uniserve.model.registry.TransactionLogState;

/**
 * Copy of a transaction log that its manager has certainly written, published so that servers need not read ZooKeeper. Like the result of a
 * read, it may be outdated when it arrives.
 *
 * @param log the log after the write
 * @param nodeVersion znode version after the write
 */
public record TransactionLogSnapshot(TransactionLogState log, int nodeVersion) {}
