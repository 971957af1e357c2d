package io.uniserve.sql;

import java.util.Optional;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;

/** Expressions over rows of tables. */
final class ColumnWriter extends SqlWriter {
    private final Names names;
    private final Places places;

    /** How a statement names a column. */
    @FunctionalInterface
    interface Places {
        String place(Names.Found column);
    }

    ColumnWriter(Names names, Places places) {
        this.names = names;
        this.places = places;
    }

    /** Columns of the one table that a statement reads. Their names are well-formed: no quote is in them. */
    static String alone(Names.Found column) {
        return "\"" + column.column() + "\"";
    }

    @Override
    Optional<String> instead(SqlNode node) {
        if (node instanceof SqlIdentifier name) {
            return names.find(name).map(places::place);
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
