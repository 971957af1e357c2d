package io.uniserve.protocol.tx;

import io.uniserve.model.TransactionLogState;

/** Hears of a table's log as somebody on this server has read or written it, perhaps an old one. */
@FunctionalInterface
interface TransactionLogListener {
    /** @param version of the log's node in the registry */
    void seen(TransactionLogState log, int version);
}
