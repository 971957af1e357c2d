package io.uniserve.sql;

import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.jspecify.annotations.Nullable;

/**
 * A query's text as a tree whose FROM is of a shape that is supported; its other names and types are not looked at yet.
 *
 * @param from how the tables are joined
 * @param tables in the order of FROM
 */
record ParsedQuery(SqlNode tree, Source from, List<Named> tables) {
    /** A longer text is refused: no person writes one, and its tree would be too deep. */
    static final int TEXT_CHARS_MAX = 65_536;

    /** Tables of one FROM at most. */
    static final int TABLES_MAX = 16;

    private static final SqlParser.Config PARSER = SqlParser.config()
            .withUnquotedCasing(Casing.UNCHANGED)
            .withCaseSensitive(false)
            .withConformance(SqlConformanceEnum.BABEL);

    private static final Set<JoinType> JOINS = Set.of(JoinType.INNER, JoinType.COMMA, JoinType.CROSS, JoinType.LEFT);

    /** A table as FROM names it, and the name it has in the query. */
    record Named(SqlIdentifier name, String alias) {
        String table() {
            return name.getSimple();
        }
    }

    ParsedQuery {
        tables = List.copyOf(tables);
    }

    /** Refuses with INVALID_ARGUMENT or UNSUPPORTED, by line and column. */
    static ParsedQuery of(String text) {
        if (text.length() > TEXT_CHARS_MAX) {
            throw UniserveException.invalid("query has " + text.length() + " characters, at most " + TEXT_CHARS_MAX);
        }
        if (text.isBlank()) {
            throw UniserveException.invalid("query is empty; use SELECT ... FROM ...");
        }
        try {
            SqlNode tree = SqlParser.create(text, PARSER).parseQuery();
            return of(tree, tree instanceof SqlOrderBy ordered ? ordered.query : tree);
        } catch (SqlParseException e) {
            throw SqlErrors.syntax(e);
        } catch (StackOverflowError e) {
            throw SqlErrors.tooDeep(e);
        }
    }

    /** The same of a tree, such as that of {@link #of(String)} once it is validated. */
    static ParsedQuery of(SqlNode tree, SqlNode query) {
        if (!(query instanceof SqlSelect select)) {
            throw SqlErrors.unsupported(query, query.getKind() + " is");
        }
        if (select.getFrom() == null) {
            throw SqlErrors.invalid(select, "the query has no FROM; use FROM and a table");
        }
        if (!select.getWindowList().isEmpty() || select.getQualify() != null) {
            throw SqlErrors.unsupported(select, "WINDOW or QUALIFY is");
        }
        List<Named> tables = new ArrayList<>();
        return new ParsedQuery(tree, source(select.getFrom(), tables), tables);
    }

    private static Source source(SqlNode from, List<Named> tables) {
        if (from instanceof SqlJoin join) {
            return join(join, tables);
        }
        SqlNode table = from;
        String alias = "";
        if (from.getKind() == SqlKind.AS && from instanceof SqlCall as) {
            if (as.operandCount() > 2) {
                throw SqlErrors.unsupported(from, "a table's alias with names of columns is");
            }
            table = as.operand(0);
            alias = ((SqlIdentifier) as.operand(1)).getSimple();
        }
        if (!(table instanceof SqlIdentifier name)) {
            throw SqlErrors.unsupported(from, "a FROM with a query is");
        }
        if (!name.isSimple()) {
            throw SqlErrors.invalid(name, "FROM names " + name + "; tables have names of one word");
        }
        if (tables.size() == TABLES_MAX) {
            throw SqlErrors.unsupported(from, "a FROM with more than " + TABLES_MAX + " tables is");
        }
        tables.add(new Named(name, alias.isEmpty() ? name.getSimple() : alias));
        return new Source.Leaf(tables.size() - 1);
    }

    private static Source join(SqlJoin join, List<Named> tables) {
        if (join.isNatural() || join.getConditionType() == JoinConditionType.USING) {
            throw SqlErrors.unsupported(join, "a join with NATURAL or USING instead of ON is");
        }
        if (!JOINS.contains(join.getJoinType())) {
            throw SqlErrors.unsupported(join, join.getJoinType() + " JOIN is");
        }
        Source left = source(join.getLeft(), tables);
        Source right = source(join.getRight(), tables);
        return new Source.Join(left, right, join.getJoinType() == JoinType.LEFT, all(join.getCondition()), join);
    }

    /** The conditions that a condition demands all of; none where there is none. */
    static List<SqlNode> all(@Nullable SqlNode condition) {
        if (condition == null) {
            return List.of();
        }
        if (condition.getKind() == SqlKind.AND && condition instanceof SqlCall and) {
            return and.getOperandList().stream()
                    .flatMap(one -> all(one).stream())
                    .toList();
        }
        return List.of(condition);
    }

    /** Refuses a query that names another table only. */
    void check(String asked) {
        if (tables.stream().noneMatch(named -> named.table().equalsIgnoreCase(asked))) {
            SqlIdentifier first = tables.get(0).name();
            throw SqlErrors.invalid(first, "the query is asked of table " + asked + ", and FROM names " + first);
        }
    }
}
