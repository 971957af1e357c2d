package io.uniserve.sql;

import io.uniserve.api.Columns;
import java.util.Optional;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;

/** Expressions over an actor's rows. */
final class ColumnWriter extends SqlWriter {
    private final Columns columns;

    ColumnWriter(Columns columns) {
        this.columns = columns;
    }

    @Override
    Optional<String> instead(SqlNode node) {
        if (node instanceof SqlIdentifier name) {
            return columns.names().stream()
                    .filter(column -> column.equalsIgnoreCase(last(name)))
                    .findFirst()
                    .map(column -> "\"" + column + "\"");
        }
        if (Aggregates.is(node)) {
            throw SqlErrors.invalid(node, "an aggregate cannot stand here");
        }
        return Optional.empty();
    }

    /** A column's name without that of its table. */
    static String last(SqlIdentifier name) {
        return name.names.get(name.names.size() - 1);
    }
}
