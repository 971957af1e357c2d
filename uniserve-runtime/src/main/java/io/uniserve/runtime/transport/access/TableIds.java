package io.uniserve.runtime.transport.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import java.util.Map;
import java.util.TreeMap;

/** Ids of tables by their names, as of one routing. Immutable. */
record TableIds(Map<TableName, Long> ids) {
    static final TableIds NONE = new TableIds(Map.of());

    /** An id that no table has: ids start at 1. */
    private static final long NO_TABLE = 0;

    static TableIds of(Routing routing) {
        Map<TableName, Long> ids = new TreeMap<>();
        routing.tables()
                .forEach(table -> ids.put(table.meta().name(), table.meta().tableId()));
        return new TableIds(ids);
    }

    /** The requested id if it is the table's, else one that no table has; UNAVAILABLE if the table is unknown here. */
    long servedId(TableName table, long requested) {
        Long known = ids.get(table);
        if (known == null) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE, "this server does not know table " + table + " yet: try again or elsewhere");
        }
        return known == requested ? requested : NO_TABLE;
    }
}
