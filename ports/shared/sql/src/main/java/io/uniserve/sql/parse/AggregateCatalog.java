package io.uniserve.sql.parse;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlBasicAggFunction;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlOperandTypeChecker;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.jspecify.annotations.Nullable;

/** Aggregate functions that queries may use, by the form of their distributed merge. */
public final class AggregateCatalog {
    /** Standard deviations and variances: merged from the count, mean and variance of each actor's rows. */
    public static final Set<String> VARIANCES =
            Set.of("STDDEV", "STDDEV_SAMP", "STDDEV_POP", "VARIANCE", "VAR_SAMP", "VAR_POP");

    /** Concatenations of texts in an order. The operands are the value, the separator and the ORDER BY keys. */
    public static final Set<String> STRING_AGGREGATES = Set.of("STRING_AGG", "LISTAGG");

    /** Quantiles with WITHIN GROUP. The operands are the value and the fraction, which is negative for a descending order. */
    static final Set<String> ORDERED_QUANTILES = Set.of("PERCENTILE_CONT", "PERCENTILE_DISC");

    /** Quantiles that are written as functions. */
    static final Set<String> QUANTILES = Set.of("QUANTILE", "QUANTILE_CONT", "QUANTILE_DISC");

    private static final String MEDIAN = "MEDIAN";

    private static final Map<String, SqlAggFunction> FUNCTIONS = functions();

    private static final Set<String> PLAIN = Set.of(
            "COUNT",
            "SUM",
            "AVG",
            "MIN",
            "MAX",
            "ANY_VALUE",
            "EVERY",
            "SOME",
            "BOOL_AND",
            "BOOL_OR",
            "APPROX_COUNT_DISTINCT");

    /** Holistic aggregates: they need all values of a group in one place. */
    public static final Set<String> NOT_MERGEABLE =
            FUNCTIONS.keySet().stream().filter(name -> !PLAIN.contains(name)).collect(Collectors.toUnmodifiableSet());

    /** All aggregates, by their names in capital letters. */
    static final Set<String> NAMES = names();

    private AggregateCatalog() {}

    private static Set<String> names() {
        Set<String> names = new TreeSet<>(PLAIN);
        names.addAll(VARIANCES);
        names.addAll(FUNCTIONS.keySet());
        return Set.copyOf(names);
    }

    private static Map<String, SqlAggFunction> functions() {
        Map<String, SqlAggFunction> all = new TreeMap<>();
        all.put("BOOL_AND", SqlLibraryOperators.BOOL_AND);
        all.put("BOOL_OR", SqlLibraryOperators.BOOL_OR);
        STRING_AGGREGATES.forEach(
                name -> put(all, name, ReturnTypes.ARG0_NULLABLE_IF_EMPTY, new TextFirstTypeChecker()));
        put(all, MEDIAN, ReturnTypes.DOUBLE_NULLABLE, OperandTypes.NUMERIC);
        for (String name : List.of("QUANTILE_CONT", "PERCENTILE_CONT")) {
            put(all, name, ReturnTypes.DOUBLE_NULLABLE, OperandTypes.NUMERIC_NUMERIC);
        }
        for (String name : List.of("QUANTILE", "QUANTILE_DISC", "PERCENTILE_DISC")) {
            put(all, name, ReturnTypes.ARG0_NULLABLE_IF_EMPTY, OperandTypes.ANY_NUMERIC);
        }
        return all;
    }

    private static void put(
            Map<String, SqlAggFunction> all, String name, SqlReturnTypeInference type, SqlOperandTypeChecker operands) {
        all.put(name, SqlBasicAggFunction.create(name, SqlKind.OTHER_FUNCTION, type, operands));
    }

    /** Returns the operators that Calcite's standard table lacks or has in another form. */
    static List<SqlOperator> functionsOfUniserve() {
        return List.copyOf(FUNCTIONS.values());
    }

    /** Returns one of {@link #functionsOfUniserve} by its name in capital letters. */
    static @Nullable SqlAggFunction function(String name) {
        return FUNCTIONS.get(name);
    }

    public static boolean isAggregate(SqlNode node) {
        return node instanceof SqlCall call
                && call.getOperator() instanceof SqlAggFunction function
                && NAMES.contains(function.getName());
    }

    /** True if an expression contains an aggregate. Aggregates inside its sub-queries do not count. */
    public static boolean containsAggregate(@Nullable SqlNode node) {
        return containsAny(node, AggregateCatalog::isAggregate);
    }

    /** True if an expression contains a holistic aggregate ({@link #NOT_MERGEABLE}). */
    public static boolean containsNotMergeable(@Nullable SqlNode node) {
        return containsAny(
                node,
                one -> isAggregate(one)
                        && one instanceof SqlCall call
                        && NOT_MERGEABLE.contains(call.getOperator().getName()));
    }

    /** True if an expression contains COUNT, which is 0 and not NULL over no rows. */
    static boolean containsCount(@Nullable SqlNode node) {
        return containsAny(node, one -> isAggregate(one) && one.getKind() == SqlKind.COUNT);
    }

    private static boolean containsAny(@Nullable SqlNode node, Predicate<SqlNode> wanted) {
        if (node == null || SqlNodeUtils.isQuery(node)) {
            return false;
        }
        if (node instanceof SqlNodeList list) {
            return list.stream().anyMatch(one -> containsAny(one, wanted));
        }
        return wanted.test(node)
                || (node instanceof SqlCall call
                        && call.getOperandList().stream().anyMatch(one -> containsAny(one, wanted)));
    }
}
