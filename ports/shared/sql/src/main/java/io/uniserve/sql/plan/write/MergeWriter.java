package io.uniserve.sql.plan.write;

import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.parse.AggregateCatalog;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelectKeyword;

/** Writer of expressions over groups in the merge statement: aggregates over the actors' partial aggregates. */
public final class MergeWriter extends SqlWriter {
    /** Aggregates that merge by the minimum: FALSE is less than TRUE, and ANY_VALUE is the least value so that it is deterministic. */
    private static final Set<String> LEAST = Set.of("MIN", "EVERY", "BOOL_AND", "ANY_VALUE");

    private static final Set<String> GREATEST = Set.of("MAX", "SOME", "BOOL_OR");

    private final PartialAggregation partialAggregation;
    private final ColumnWriter rows;
    private final String table;

    public MergeWriter(PartialAggregation partialAggregation, ColumnWriter rows) {
        this(partialAggregation, rows, "");
    }

    private MergeWriter(PartialAggregation partialAggregation, ColumnWriter rows, String table) {
        this.partialAggregation = partialAggregation;
        this.rows = rows;
        this.table = table;
    }

    @Override
    public Optional<String> replacement(SqlNode node) {
        if (AggregateCatalog.isAggregate(node) && node instanceof SqlCall call) {
            return Optional.of(mergeAggregate(call));
        }
        if (node instanceof SqlLiteral || AggregateCatalog.containsAggregate(node)) {
            return Optional.empty();
        }
        if (node instanceof SqlIdentifier || (node instanceof SqlCall && partialAggregation.groupCount() > 0)) {
            Optional<String> group = partialAggregation.group(rows.write(node)).map(column -> table + column);
            if (group.isEmpty() && node instanceof SqlIdentifier) {
                throw SqlErrorFactory.invalid(node, "column " + node + " is neither in GROUP BY nor in an aggregate");
            }
            return group;
        }
        return Optional.empty();
    }

    @Override
    Optional<SubQuery> subQuery(SqlNode node) {
        return rows.subQuery(node);
    }

    @Override
    MergeWriter inSubQuery() {
        return new MergeWriter(partialAggregation, rows, StatementNaming.PARTS + ".");
    }

    @Override
    MergeWriter in(QueryScope queryScope) {
        return new MergeWriter(partialAggregation, rows.in(queryScope), table);
    }

    private String mergeAggregate(SqlCall call) {
        SqlLiteral quantifier = call.getFunctionQuantifier();
        boolean distinct = quantifier != null && quantifier.getValue() == SqlSelectKeyword.DISTINCT;
        String name = call.getOperator().getName();
        if (call.operandCount() != 1 && !AggregateCatalog.NOT_MERGEABLE.contains(name)) {
            throw SqlErrorFactory.unsupported(call, name + " of several values is");
        }
        SqlNode operand = call.operand(0);
        boolean all = operand instanceof SqlIdentifier star && star.isStar();
        if (all && distinct) {
            throw SqlErrorFactory.unsupported(call, name + "(DISTINCT *) is");
        }
        String value = all ? "*" : rows.write(operand);
        if (partialAggregation.isUngrouped()) {
            return ofRows(call, distinct, all ? "*" : column(value));
        }
        boolean least = LEAST.contains(name);
        boolean greatest = GREATEST.contains(name);
        if (distinct && !least && !greatest) {
            return plainAggregate(name, "DISTINCT " + table + partialAggregation.key(value));
        }
        if (AggregateCatalog.VARIANCES.contains(name)) {
            return VarianceMerge.mergeExpression(name, value, partialAggregation, table);
        }
        return switch (name) {
            case "COUNT" -> "CAST(" + coalesceCount("count(" + value + ")") + " AS BIGINT)";
            case "AVG" -> "(" + sum("sum(" + value + ")") + " / nullif(" + sum("count(" + value + ")") + ", 0))";
            case "SUM" -> sum("sum(" + value + ")");
            default ->
                least ? "min(" + column("min(" + value + ")") + ")" : "max(" + column("max(" + value + ")") + ")";
        };
    }

    /**
     * Writes an aggregate over columns of rows, for actors that group by the values too or send all of them.
     *
     * @param of the column, with or without DISTINCT
     */
    private static String plainAggregate(String name, String of) {
        return name.equals("AVG")
                ? "(sum(" + of + ") / nullif(count(" + of + "), 0))"
                : name.toLowerCase(Locale.ROOT) + "(" + of + ")";
    }

    private String ofRows(SqlCall call, boolean distinct, String column) {
        String name = call.getOperator().getName();
        String of = distinct ? "DISTINCT " + column : column;
        if (LEAST.contains(name) || GREATEST.contains(name)) {
            return (LEAST.contains(name) ? "min(" : "max(") + column + ")";
        }
        if (AggregateCatalog.STRING_AGGREGATES.contains(name)) {
            return texts(call, distinct, column);
        }
        if (call.operandCount() == 2) {
            String function = name.endsWith("CONT") ? "quantile_cont(" : "quantile_disc(";
            return function + of + ", " + write(call.operand(1)) + ")";
        }
        return plainAggregate(name, of);
    }

    /** Writes a concatenation of texts. The order includes the text itself, so the result is deterministic. */
    private String texts(SqlCall call, boolean distinct, String value) {
        List<String> order = new ArrayList<>();
        for (SqlNode key : call.getOperandList().subList(2, call.operandCount())) {
            order.add(ordered(key, "", distinct ? value : ""));
        }
        if (!distinct || order.isEmpty()) {
            order.add(value);
        }
        return "string_agg(" + (distinct ? "DISTINCT " : "") + value + ", " + write(call.operand(1)) + " ORDER BY "
                + String.join(", ", order) + ")";
    }

    private String ordered(SqlNode key, String how, String instead) {
        if (key instanceof SqlCall call) {
            String more = switch (key.getKind()) {
                case DESCENDING -> " DESC";
                case NULLS_FIRST -> " NULLS FIRST";
                case NULLS_LAST -> " NULLS LAST";
                default -> "";
            };
            if (!more.isEmpty()) {
                return ordered(call.operand(0), more + how, instead);
            }
        }
        return (instead.isEmpty() ? column(rows.write(key)) : instead) + how;
    }

    private String column(String expression) {
        return table + partialAggregation.column(expression);
    }

    private String sum(String expression) {
        return "sum(" + column(expression) + ")";
    }

    /** Writes a sum of counts. Without GROUP BY it is 0 rather than NULL if no actor has a row. */
    private String coalesceCount(String count) {
        return partialAggregation.groupCount() > 0 ? sum(count) : "coalesce(" + sum(count) + ", 0)";
    }
}
