package io.uniserve.sql.parse;

import io.uniserve.error.PrintableText;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOperatorTable;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlMonotonicBinaryOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.InferTypes;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.jspecify.annotations.Nullable;

/**
 * Catalog of functions, operators and aggregates that queries may use. All others are refused by name, line and column before the query is
 * planned. So an operator that only shares its kind with a supported one never gets a wrong answer.
 */
public final class FunctionCatalog {
    private static final Set<String> OPERATORS = Set.of(
            "AND",
            "OR",
            "NOT",
            "=",
            "<>",
            "<",
            "<=",
            ">",
            ">=",
            "+",
            "-",
            "*",
            "/",
            "%",
            "||",
            "IS NULL",
            "IS NOT NULL",
            "IS TRUE",
            "IS NOT TRUE",
            "IS FALSE",
            "IS NOT FALSE",
            "IS UNKNOWN",
            "IS NOT UNKNOWN",
            "IS DISTINCT FROM",
            "IS NOT DISTINCT FROM",
            "BETWEEN ASYMMETRIC",
            "NOT BETWEEN ASYMMETRIC",
            "IN",
            "NOT IN",
            "LIKE",
            "NOT LIKE",
            "EXISTS",
            "CASE",
            "CAST");

    private static final Set<String> SCALARS = Set.of(
            "MOD",
            "EXTRACT",
            "TRIM",
            "SUBSTRING",
            "UPPER",
            "LOWER",
            "CHAR_LENGTH",
            "CHARACTER_LENGTH",
            "ABS",
            "ROUND",
            "FLOOR",
            "CEIL",
            "COALESCE",
            "NULLIF");

    /** Parts of expressions and items that are not functions. FILTER and WITHIN GROUP belong to aggregates. */
    private static final Set<String> FORMS =
            Set.of("AS", "DESC", "NULLS FIRST", "NULLS LAST", "FILTER", "WITHIN GROUP");

    /** Syntax parts that the parser represents as calls. Each is checked elsewhere by name. */
    private static final Set<SqlKind> CLAUSES = Set.of(
            SqlKind.SELECT,
            SqlKind.ORDER_BY,
            SqlKind.WITH,
            SqlKind.WITH_ITEM,
            SqlKind.JOIN,
            SqlKind.AS,
            SqlKind.DESCENDING,
            SqlKind.NULLS_FIRST,
            SqlKind.NULLS_LAST,
            SqlKind.ROW,
            SqlKind.HINT,
            SqlKind.TABLE_REF,
            SqlKind.SCALAR_QUERY);

    private static final Set<String> KNOWN = SqlStdOperatorTable.instance().getOperatorList().stream()
            .map(SqlOperator::getName)
            .collect(Collectors.toUnmodifiableSet());

    private static final Set<String> ANSWERED = names();
    private static final SqlOperatorTable TABLE = new Table();

    /** Subtraction. A date minus a date is a number of days. */
    private static final SqlOperator MINUS = new SqlMonotonicBinaryOperator(
            "-",
            SqlKind.MINUS,
            40,
            true,
            operands -> {
                boolean days = operands.getOperandType(0).getSqlTypeName() == SqlTypeName.DATE
                        && operands.getOperandType(1).getSqlTypeName() == SqlTypeName.DATE;
                return days
                        ? ReturnTypes.BIGINT_NULLABLE.inferReturnType(operands)
                        : ReturnTypes.NULLABLE_SUM.inferReturnType(operands);
            },
            InferTypes.FIRST_KNOWN,
            OperandTypes.or(OperandTypes.MINUS_OPERATOR, OperandTypes.family(SqlTypeFamily.DATE, SqlTypeFamily.DATE)));

    private FunctionCatalog() {}

    /** Returns the names of everything that queries may use, aggregates included, in capital letters. */
    public static Set<String> supportedNames() {
        return ANSWERED;
    }

    /** Returns the aggregates that are merged with functions of DuckDB. */
    public static Set<String> duckDbAggregates() {
        Set<String> all = new TreeSet<>(AggregateCatalog.VARIANCES);
        all.addAll(AggregateCatalog.NOT_MERGEABLE);
        return Collections.unmodifiableSet(all);
    }

    private static Set<String> names() {
        Set<String> all = new TreeSet<>(OPERATORS);
        all.addAll(SCALARS);
        all.addAll(FORMS);
        all.addAll(AggregateCatalog.NAMES);
        return Collections.unmodifiableSet(all);
    }

    /** Returns the validator's operator table: it has only what queries may use. */
    static SqlOperatorTable all() {
        return TABLE;
    }

    /**
     * Refuses everything that a query may not use, by name, line and column: UNSUPPORTED for standard SQL, INVALID_ARGUMENT for unknown
     * functions. The tree must have aggregates in their {@link AggregateNormalizer}.
     */
    static void check(SqlNode tree) {
        tree.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                check(call);
                return super.visit(call);
            }
        });
    }

    private static void check(SqlCall call) {
        if (CLAUSES.contains(call.getKind())) {
            return;
        }
        String name = name(call.getOperator());
        boolean ordered = AggregateCatalog.ORDERED_QUANTILES.contains(name)
                && !AggregateCatalog.functionsOfUniserve().contains(call.getOperator());
        if (!OPERATORS.contains(name)
                && !SCALARS.contains(name)
                && (ordered || !AggregateCatalog.NAMES.contains(name))) {
            if (call.getOperator() instanceof SqlUnresolvedFunction && !KNOWN.contains(name)) {
                throw SqlErrorFactory.invalid(
                        call,
                        "function " + PrintableText.line(name)
                                + " is not known; docs/manual/sql.md lists all functions");
            }
            throw SqlErrorFactory.unsupported(
                    call, PrintableText.line(name) + (ordered ? " without WITHIN GROUP (ORDER BY ...) is" : " is"));
        }
    }

    /** Returns a function's name in capital letters, qualified if the query qualified it. */
    public static String name(SqlOperator operator) {
        String name = operator instanceof SqlUnresolvedFunction function && function.getSqlIdentifier() != null
                ? String.join(".", function.getSqlIdentifier().names)
                : operator.getName();
        return name.toUpperCase(Locale.ROOT);
    }

    /** Calcite's standard operators, limited to those that queries may use, and the aggregates of {@link AggregateCatalog}. */
    private static final class Table implements SqlOperatorTable {
        @Override
        public void lookupOperatorOverloads(
                SqlIdentifier name,
                @Nullable SqlFunctionCategory category,
                SqlSyntax syntax,
                List<SqlOperator> found,
                SqlNameMatcher names) {
            String simple = name.isSimple() ? name.getSimple().toUpperCase(Locale.ROOT) : "";
            if (simple.equals("-") && syntax == SqlSyntax.BINARY) {
                found.add(MINUS);
                return;
            }
            SqlOperator own = AggregateCatalog.function(simple);
            if (own != null) {
                found.add(own);
                return;
            }
            List<SqlOperator> standard = new ArrayList<>();
            SqlStdOperatorTable.instance().lookupOperatorOverloads(name, category, syntax, standard, names);
            standard.stream().filter(Table::has).forEach(found::add);
        }

        private static boolean has(SqlOperator operator) {
            return CLAUSES.contains(operator.getKind())
                    || (supportedNames().contains(operator.getName())
                            && AggregateCatalog.function(operator.getName()) == null);
        }

        @Override
        public List<SqlOperator> getOperatorList() {
            List<SqlOperator> all = new ArrayList<>(AggregateCatalog.functionsOfUniserve());
            SqlStdOperatorTable.instance().getOperatorList().stream()
                    .filter(Table::has)
                    .forEach(all::add);
            return all;
        }
    }
}
