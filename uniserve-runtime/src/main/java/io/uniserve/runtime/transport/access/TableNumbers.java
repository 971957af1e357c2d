package io.uniserve.runtime.transport.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import java.util.Map;
import java.util.TreeMap;

/** Numbers of tables by their names, as of one routing. Immutable. */
record TableNumbers(Map<TableName, Long> numbers) {
    static final TableNumbers NONE = new TableNumbers(Map.of());

    /** A number that no table has: numbers start at 1. */
    private static final long NO_TABLE = 0;

    static TableNumbers of(Routing routing) {
        Map<TableName, Long> numbers = new TreeMap<>();
        routing.tables()
                .forEach(table -> numbers.put(table.meta().name(), table.meta().tableId()));
        return new TableNumbers(numbers);
    }

    /** The requested number if it is the table's, else one that no table has; UNAVAILABLE if the table is unknown here. */
    long servedNumber(TableName table, long requested) {
        Long known = numbers.get(table);
        if (known == null) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE, "this server does not know table " + table + " yet: try again or elsewhere");
        }
        return known == requested ? requested : NO_TABLE;
    }
}
