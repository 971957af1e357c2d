package io.uniserve.port.druid.sql;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.avatica.util.Quoting;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.druid.sql.calcite.parser.DruidSqlParserImplFactory;
import org.apache.druid.sql.calcite.planner.DruidConformance;
import org.apache.druid.sql.calcite.planner.DruidPlanner;

/**
 * Answer to {@code EXPLAIN (TYPE IO) statement}: the tables in FROM of the statement, found by the parser alone. The syntax is Trino's; Druid
 * has no such statement.
 */
final class StatementTables {
    private static final Pattern PREFIX =
            Pattern.compile("\\s*+EXPLAIN\\s*+\\(\\s*+TYPE\\s++IO\\s*+\\)", Pattern.CASE_INSENSITIVE);
    private static final SqlParser.Config PARSER = SqlParser.config()
            .withCaseSensitive(true)
            .withUnquotedCasing(Casing.UNCHANGED)
            .withQuotedCasing(Casing.UNCHANGED)
            .withQuoting(Quoting.DOUBLE_QUOTE)
            .withConformance(DruidConformance.instance())
            .withParserFactory(new DruidSqlParserImplFactory());

    private StatementTables() {}

    static boolean isExplainIo(String sql) {
        return PREFIX.matcher(sql).lookingAt();
    }

    /** Returns one row per table of a statement, with or without the EXPLAIN before it, in the statement's order. */
    static SqlResult of(String sql) {
        Matcher prefix = PREFIX.matcher(sql);
        String inner = prefix.lookingAt() ? sql.substring(prefix.end()) : sql;
        try {
            SqlNode root = ContextClassLoader.call(
                    () -> parse(SetStatements.parse(inner).sql()));
            Names names = new Names();
            root.accept(names);
            List<Object[]> rows =
                    names.found.stream().map(name -> new Object[] {name}).toList();
            return new SqlResult(List.of("table"), List.of("VARCHAR"), rows);
        } catch (RuntimeException | StackOverflowError e) {
            throw SqlErrors.of(e);
        }
    }

    private static SqlNode parse(String sql) {
        try {
            return SqlParser.create(sql, PARSER).parseStmt();
        } catch (SqlParseException e) {
            throw DruidPlanner.translateException(e);
        }
    }

    /** Collector of the names in FROM, without those that WITH defines. */
    private static final class Names extends SqlBasicVisitor<Void> {
        private final Set<String> found = new LinkedHashSet<>();
        private final Set<String> defined = new HashSet<>();

        @Override
        public Void visit(SqlCall call) {
            if (call instanceof SqlWith with) {
                with.withList.forEach(item -> defined.add(((SqlWithItem) item).name.getSimple()));
            }
            if (call instanceof SqlSelect select && select.getFrom() != null) {
                from(select.getFrom());
            }
            return super.visit(call);
        }

        private void from(SqlNode node) {
            if (node instanceof SqlJoin join) {
                from(join.getLeft());
                from(join.getRight());
            } else if (node instanceof SqlBasicCall call && isWrapper(call.getKind())) {
                from(call.operand(0));
            } else if (node instanceof SqlCall call && call.getKind() == SqlKind.TABLE_REF) {
                from(call.operand(0));
            } else if (node instanceof SqlIdentifier name) {
                boolean table = name.names.size() == 1 || name.names.get(0).equals(SqlCatalog.DRUID);
                String last = name.names.get(name.names.size() - 1);
                if (table && !defined.contains(last)) {
                    found.add(last);
                }
            }
        }

        private static boolean isWrapper(SqlKind kind) {
            return kind == SqlKind.AS || kind == SqlKind.EXTEND || kind == SqlKind.TABLESAMPLE;
        }
    }
}
