package io.uniserve.protocol.message;

import io.uniserve.model.TransactionLogState;

/**
 * What a driver has certainly written to a table's log, told to servers so that they need not read it: as good as a read of
 * that moment, so perhaps old when it comes.
 *
 * @param log the log after the write
 * @param nodeVersion the version of its node in the registry after the write
 */
public record TransactionLogSnapshot(TransactionLogState log, int nodeVersion) {}
