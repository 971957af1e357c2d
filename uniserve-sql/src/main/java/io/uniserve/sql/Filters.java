package io.uniserve.sql;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * Writes aggregates with FILTER as those of what the condition leaves: {@code sum(x) FILTER (WHERE c)} is
 * {@code sum(CASE WHEN c THEN x END)}. So no step after the parser knows of them.
 */
final class Filters extends SqlShuttle {
    /** What the parser knows of an aggregate is its name. */
    private static final Set<String> AGGREGATES = Set.of("COUNT", "SUM", "AVG", "MIN", "MAX");

    private Filters() {}

    static SqlNode asCases(SqlNode tree) {
        SqlNode written = tree.accept(new Filters());
        return written == null ? tree : written;
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        SqlNode inside = super.visit(call);
        if (!(inside instanceof SqlCall filter)
                || filter.getKind() != SqlKind.FILTER
                || !(filter.operand(0) instanceof SqlCall aggregate)
                || !AGGREGATES.contains(aggregate.getOperator().getName().toUpperCase(Locale.ROOT))
                || aggregate.operandCount() != 1) {
            return inside;
        }
        SqlParserPos place = aggregate.getParserPosition();
        SqlNode value = aggregate.operand(0);
        SqlLiteral quantifier = aggregate.getFunctionQuantifier();
        boolean all = value instanceof SqlIdentifier star && star.isStar();
        if (all && quantifier != null && quantifier.getValue() == SqlSelectKeyword.DISTINCT) {
            return inside;
        }
        SqlNode then = all ? SqlLiteral.createExactNumeric("1", place) : value;
        SqlNode which =
                SqlCase.createSwitched(place, null, SqlNodeList.of(filter.operand(1)), SqlNodeList.of(then), null);
        return aggregate
                .getOperator()
                .createCall(quantifier, place, List.of(which).toArray(SqlNode[]::new));
    }
}
