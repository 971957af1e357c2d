package io.uniserve.sql.plan.write;

import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.parse.AggregateCatalog;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.Optional;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;

/** Writer of expressions over the rows of tables. */
public final class ColumnWriter extends SqlWriter {
    /** Names of columns for a statement that reads one table. Column names contain no quotes. */
    public static final ColumnNaming SINGLE_TABLE = new ColumnNaming() {
        @Override
        public String nameOf(QueryScope.ColumnRef column) {
            return "\"" + column.column() + "\"";
        }

        @Override
        public ColumnNaming inSubQuery() {
            return ColumnWriter::ofRows;
        }
    };

    /** Names of columns for a statement that reads the answer of one sub-query. */
    public static final ColumnNaming SINGLE_ANSWER = column -> StatementNaming.GIVEN + ".c" + column.index();

    private final QueryScope queryScope;
    private final ColumnNaming naming;

    /** Naming of columns in a statement. */
    @FunctionalInterface
    public interface ColumnNaming {
        String nameOf(QueryScope.ColumnRef column);

        /** Returns the naming within a sub-query, where an unqualified name could be one of the sub-query's own columns. */
        default ColumnNaming inSubQuery() {
            return this;
        }
    }

    public ColumnWriter(QueryScope queryScope, ColumnNaming places) {
        this.queryScope = queryScope;
        this.naming = places;
    }

    /** Returns the name of a column of the actor's table. */
    public static String ofRows(QueryScope.ColumnRef column) {
        return StatementNaming.ROWS + "." + SINGLE_TABLE.nameOf(column);
    }

    @Override
    public Optional<String> replacement(SqlNode node) {
        if (node instanceof SqlIdentifier name) {
            return queryScope.resolve(name).map(meaning -> text(name, meaning));
        }
        if (AggregateCatalog.isAggregate(node)) {
            throw SqlErrorFactory.invalid(node, "an aggregate is not allowed here");
        }
        return Optional.empty();
    }

    private String text(SqlIdentifier name, QueryScope.Meaning meaning) {
        if (meaning instanceof QueryScope.Inlined inlined) {
            return write(inlined.expression());
        }
        if (meaning instanceof QueryScope.ColumnRef found) {
            return naming.nameOf(found);
        }
        throw SqlErrorFactory.unsupported(
                name, "a column of the query around this one, other than in a condition of WHERE, is");
    }

    @Override
    Optional<SubQuery> subQuery(SqlNode node) {
        return queryScope.subQuery(node);
    }

    @Override
    ColumnWriter inSubQuery() {
        return new ColumnWriter(queryScope, naming.inSubQuery());
    }

    @Override
    ColumnWriter in(QueryScope others) {
        return others == queryScope ? this : new ColumnWriter(others, naming);
    }
}
