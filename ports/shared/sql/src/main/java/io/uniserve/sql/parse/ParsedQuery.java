package io.uniserve.sql.parse;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.runtime.CalciteException;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.parser.babel.SqlBabelParserImpl;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.jspecify.annotations.Nullable;

/**
 * Syntax tree of a query, with the tables that it names anywhere. Other names and types are not checked yet.
 *
 * @param tables without duplicates, in the order of the text
 */
public record ParsedQuery(SqlNode tree, List<SqlIdentifier> tables) {
    /** Longer texts are refused: their trees would be too deep for the stack. */
    static final int TEXT_CHARS_MAX = 65_536;

    /** Maximum number of SELECTs in a query, including the outermost. Each may be a stage with rounds of its own. */
    public static final int SELECTS_MAX = 64;

    /** Maximum number of tables and sub-queries in one FROM. */
    public static final int FROM_TABLES_MAX = 16;

    private static final Set<JoinType> JOINS =
            Set.of(JoinType.INNER, JoinType.COMMA, JoinType.CROSS, JoinType.LEFT, JoinType.RIGHT);

    private static final SqlParser.Config PARSER = SqlParser.config()
            .withUnquotedCasing(Casing.UNCHANGED)
            .withCaseSensitive(false)
            .withParserFactory(SqlBabelParserImpl.FACTORY)
            .withConformance(SqlConformanceEnum.BABEL);

    public ParsedQuery {
        tables = List.copyOf(tables);
    }

    /** Parses a query. Fails with INVALID_ARGUMENT or UNSUPPORTED, with line and column. */
    public static ParsedQuery of(String text) {
        if (text.length() > TEXT_CHARS_MAX) {
            throw UniserveException.invalid("query has " + text.length() + " characters, at most " + TEXT_CHARS_MAX);
        }
        if (text.isBlank()) {
            throw UniserveException.invalid("query is empty; use SELECT ... FROM ...");
        }
        try {
            SqlNode read = SqlParser.create(statement(text), PARSER).parseQuery();
            SqlNode tree = AggregateNormalizer.normalize(TypeFormRewriter.withTypes(read));
            SqlNode query = tree instanceof SqlOrderBy ordered ? ordered.query : tree;
            if (!isTableless(tree)) {
                select(query instanceof SqlWith with ? with.body : query);
            }
            ReservedWords.check(tree);
            Tables found = new Tables();
            found.collect(tree, Map.of());
            FunctionCatalog.check(tree);
            return new ParsedQuery(tree, found.tables);
        } catch (SqlParseException e) {
            throw SqlErrorFactory.syntax(e, text, PARSER);
        } catch (CalciteException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, SqlErrorFactory.plainMessage(e), e);
        } catch (StackOverflowError e) {
            throw SqlErrorFactory.tooDeep(e);
        }
    }

    /** Removes an optional semicolon at the end. */
    private static String statement(String text) {
        String all = text.stripTrailing();
        return all.endsWith(";") ? all.substring(0, all.length() - 1) : all;
    }

    /** Returns the SELECT of a query. Fails if it is another kind of query. */
    public static SqlSelect select(SqlNode query) {
        SqlNode inner = query instanceof SqlOrderBy ordered ? ordered.query : query;
        if (!(inner instanceof SqlSelect select)) {
            String what = inner instanceof SqlCall call
                    ? FunctionCatalog.name(call.getOperator())
                    : SqlErrorFactory.words(inner.getKind());
            throw SqlErrorFactory.unsupported(inner, what + " is");
        }
        if (select.getFrom() == null) {
            throw SqlErrorFactory.invalid(select, "the query has no FROM; use FROM and a table");
        }
        if (!select.getWindowList().isEmpty() || select.getQualify() != null) {
            throw SqlErrorFactory.unsupported(select, "WINDOW or QUALIFY is");
        }
        return select;
    }

    /** Refuses kinds of joins that are not supported. */
    public static void check(SqlJoin join) {
        if (join.isNatural() || join.getConditionType() == JoinConditionType.USING) {
            throw SqlErrorFactory.unsupported(join, "a join with NATURAL or USING instead of ON is");
        }
        if (!JOINS.contains(join.getJoinType())) {
            throw SqlErrorFactory.unsupported(join, join.getJoinType() + " JOIN is");
        }
    }

    /** True for a SELECT without FROM. */
    public boolean isTableless() {
        return isTableless(tree);
    }

    private static boolean isTableless(SqlNode tree) {
        return tree instanceof SqlSelect select && select.getFrom() == null;
    }

    /** Refuses a query whose FROM does not name the table that the client addressed. */
    public void check(String asked) {
        if (tables.isEmpty()) {
            throw SqlErrorFactory.invalid(tree, "the query names no table; use FROM and a table");
        }
        if (tables.stream().noneMatch(named -> named.getSimple().equalsIgnoreCase(asked))) {
            SqlIdentifier first = tables.get(0);
            throw SqlErrorFactory.invalid(first, "the query was sent to table " + asked + ", but FROM names " + first);
        }
    }

    /** Visitor that collects tables and knows the names of WITH that are visible, in lower case. */
    private static final class Tables {
        private final List<SqlIdentifier> tables = new ArrayList<>();
        private final Set<String> known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        private int selects;

        void collect(@Nullable SqlNode node, Map<String, String> withs) {
            if (node instanceof SqlWith with) {
                Map<String, String> inside = new TreeMap<>(withs);
                Set<String> here = new TreeSet<>();
                for (SqlNode one : with.withList) {
                    SqlWithItem item = (SqlWithItem) one;
                    collect(item.query, inside);
                    String name = item.name.getSimple();
                    if (!here.add(SqlNodeUtils.lower(name))) {
                        throw SqlErrorFactory.invalid(item, "WITH names " + name + " twice");
                    }
                    inside.put(SqlNodeUtils.lower(name), name);
                }
                collect(with.body, inside);
            } else if (node instanceof SqlSelect select) {
                if (++selects > SELECTS_MAX) {
                    throw SqlErrorFactory.tooMany(select, SELECTS_MAX);
                }
                if (leaves(select.getFrom()) > FROM_TABLES_MAX) {
                    throw SqlErrorFactory.unsupported(
                            select, "a FROM with more than " + FROM_TABLES_MAX + " tables is");
                }
                from(select.getFrom(), withs);
                select.getOperandList().stream()
                        .filter(part -> part != select.getFrom())
                        .forEach(part -> collect(part, withs));
            } else if (node instanceof SqlNodeList list) {
                list.forEach(one -> collect(one, withs));
            } else if (node instanceof SqlCall call) {
                call.getOperandList().forEach(one -> collect(one, withs));
            }
        }

        private static int leaves(@Nullable SqlNode from) {
            return from instanceof SqlJoin join ? leaves(join.getLeft()) + leaves(join.getRight()) : 1;
        }

        private void from(@Nullable SqlNode from, Map<String, String> withs) {
            if (from instanceof SqlJoin join) {
                check(join);
                from(join.getLeft(), withs);
                from(join.getRight(), withs);
                collect(join.getCondition(), withs);
            } else if (from != null && from.getKind() == SqlKind.AS && from instanceof SqlCall as) {
                from(as.operand(0), withs);
            } else if (from instanceof SqlIdentifier name) {
                if (!name.isSimple()) {
                    throw SqlErrorFactory.invalid(name, "FROM names " + name + "; tables have names of one word");
                }
                String with = withs.get(SqlNodeUtils.lower(name.getSimple()));
                if (with != null) {
                    // The validator is case-sensitive here, and would take this name for a table.
                    name.setNames(List.of(with), List.of(name.getParserPosition()));
                } else if (known.add(name.getSimple())) {
                    tables.add(name);
                }
            } else if (from != null && !SqlNodeUtils.isQuery(from)) {
                throw SqlErrorFactory.unsupported(from, "a FROM with " + SqlErrorFactory.words(from.getKind()) + " is");
            } else {
                collect(from, withs);
            }
        }
    }
}
