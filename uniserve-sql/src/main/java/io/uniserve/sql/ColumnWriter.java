package io.uniserve.sql;

import java.util.Optional;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;

/** Writer of expressions over the rows of tables. */
final class ColumnWriter extends SqlWriter {
    /** Names of columns for a statement that reads one table. Column names contain no quotes. */
    static final Places ALONE = new Places() {
        @Override
        public String place(QueryScope.Found column) {
            return "\"" + column.column() + "\"";
        }

        @Override
        public Places within() {
            return ColumnWriter::ofRows;
        }
    };

    /** Names of columns for a statement that reads the answer of one sub-query. */
    static final Places GIVEN = column -> StatementNames.GIVEN + ".c" + column.index();

    private final QueryScope queryScope;
    private final Places places;

    /** Naming of columns in a statement. */
    @FunctionalInterface
    interface Places {
        String place(QueryScope.Found column);

        /** Returns the naming within a sub-query, where an unqualified name could be one of the sub-query's own columns. */
        default Places within() {
            return this;
        }
    }

    ColumnWriter(QueryScope queryScope, Places places) {
        this.queryScope = queryScope;
        this.places = places;
    }

    /** Returns the name of a column of the actor's table. */
    static String ofRows(QueryScope.Found column) {
        return StatementNames.ROWS + "." + ALONE.place(column);
    }

    @Override
    Optional<String> instead(SqlNode node) {
        if (node instanceof SqlIdentifier name) {
            return queryScope.find(name).map(meaning -> text(name, meaning));
        }
        if (Aggregates.is(node)) {
            throw SqlErrors.invalid(node, "an aggregate is not allowed here");
        }
        return Optional.empty();
    }

    private String text(SqlIdentifier name, QueryScope.Meaning meaning) {
        if (meaning instanceof QueryScope.Inlined inlined) {
            return write(inlined.term());
        }
        if (meaning instanceof QueryScope.Found found) {
            return places.place(found);
        }
        throw SqlErrors.unsupported(
                name, "a column of the query around this one, other than in a condition of WHERE, is");
    }

    @Override
    Optional<SubQuery> sub(SqlNode node) {
        return queryScope.sub(node);
    }

    @Override
    ColumnWriter within() {
        return new ColumnWriter(queryScope, places.within());
    }

    @Override
    ColumnWriter in(QueryScope others) {
        return others == queryScope ? this : new ColumnWriter(others, places);
    }
}
