package io.uniserve.sql;

import java.util.Optional;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;

/** Expressions over rows of tables. */
final class ColumnWriter extends SqlWriter {
    /** Columns of the one table that a statement reads. Their names are well-formed: no quote is in them. */
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

    /** Columns of the one answer of a sub-query that a statement reads. */
    static final Places GIVEN = column -> FragmentedPlan.GIVEN + ".c" + column.index();

    private final QueryScope queryScope;
    private final Places places;

    /** How a statement names a column. */
    @FunctionalInterface
    interface Places {
        String place(QueryScope.Found column);

        /** The same within a sub-query, where a column's name alone could be one of its own. */
        default Places within() {
            return this;
        }
    }

    ColumnWriter(QueryScope queryScope, Places places) {
        this.queryScope = queryScope;
        this.places = places;
    }

    /** A column of the actor's table. */
    static String ofRows(QueryScope.Found column) {
        return FragmentedPlan.ROWS + "." + ALONE.place(column);
    }

    @Override
    Optional<String> instead(SqlNode node) {
        if (node instanceof SqlIdentifier name) {
            return queryScope.find(name).map(meaning -> text(name, meaning));
        }
        if (Aggregates.is(node)) {
            throw SqlErrors.invalid(node, "an aggregate cannot stand here");
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

    /** A column's name without that of its table. */
    static String last(SqlIdentifier name) {
        return name.names.get(name.names.size() - 1);
    }
}
