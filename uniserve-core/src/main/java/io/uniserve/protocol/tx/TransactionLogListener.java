package io.uniserve.protocol.tx;

import io.uniserve.model.TransactionLogState;

/** Callback for each transaction log that this server has read or written. The log may be outdated. */
@FunctionalInterface
interface TransactionLogListener {
    /** @param version znode version of the log */
    void seen(TransactionLogState log, int version);
}
