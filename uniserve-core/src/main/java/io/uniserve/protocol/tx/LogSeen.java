package io.uniserve.protocol.tx;

import io.uniserve.model.TableLog;

/** Hears of a table's log as somebody on this server has read or written it, perhaps an old one. */
@FunctionalInterface
interface LogSeen {
    /** @param version of the log's node in the registry */
    void seen(TableLog log, int version);
}
