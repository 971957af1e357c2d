package io.uniserve.sql;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.util.Litmus;
import org.jspecify.annotations.Nullable;

/** ORDER BY, LIMIT and OFFSET of a query. */
final class Ordering {
    private final List<SqlNode> items;
    private final List<String> names;
    private final SqlWriter merged;
    private final boolean grouped;
    private final String by;
    private final long limit;
    private final long skip;

    Ordering(@Nullable SqlSelect select, List<SqlNode> items, List<String> names, SqlWriter merged, boolean grouped) {
        this.items = items;
        this.names = names;
        this.merged = merged;
        this.grouped = grouped;
        List<String> orders = new ArrayList<>();
        SqlNodeList list = select == null ? null : select.getOrderList();
        if (list != null) {
            list.forEach(node -> orders.add(order(node, "")));
        }
        by = orders.isEmpty() ? "" : " ORDER BY " + String.join(", ", orders);
        SqlNode offset = select == null ? null : select.getOffset();
        skip = offset == null ? 0 : count(offset, "OFFSET");
        SqlNode fetch = select == null ? null : select.getFetch();
        limit = fetch == null ? -1 : count(fetch, "LIMIT");
    }

    /** The end of the statement over all answers. */
    String last() {
        return by + (limit < 0 ? "" : " LIMIT " + limit) + (skip > 0 ? " OFFSET " + skip : "");
    }

    /** Of rows that are not grouped an actor sends no more than could be in the answer. */
    String first() {
        return limit < 0 ? "" : by + " LIMIT " + (skip + limit);
    }

    private String order(SqlNode node, String suffix) {
        if (node instanceof SqlCall call) {
            switch (node.getKind()) {
                case DESCENDING:
                    return order(call.operand(0), " DESC" + suffix);
                case NULLS_FIRST:
                    return order(call.operand(0), suffix + " NULLS FIRST");
                case NULLS_LAST:
                    return order(call.operand(0), suffix + " NULLS LAST");
                default:
                    break;
            }
        }
        int item = item(node);
        if (item < 0) {
            return merged.write(node) + suffix;
        }
        // By number where the item is computed last; rows come with all items computed, in columns of their own.
        return (grouped ? String.valueOf(item + 1) : merged.write(items.get(item))) + suffix;
    }

    /** The item of the answer that an ORDER BY names by number, alias or the same expression; -1 for none. */
    private int item(SqlNode node) {
        if (node instanceof SqlLiteral number && number.getKind() == SqlKind.LITERAL) {
            long position = count(number, "ORDER BY");
            if (position < 1 || position > items.size()) {
                throw SqlErrors.invalid(node, "ORDER BY " + position + ": the answer has " + items.size() + " columns");
            }
            return (int) position - 1;
        }
        for (int i = 0; i < items.size(); i++) {
            if (node instanceof SqlIdentifier alias
                    && alias.isSimple()
                    && alias.getSimple().equalsIgnoreCase(names.get(i))) {
                return i;
            }
        }
        for (int i = 0; i < items.size(); i++) {
            if (node.equalsDeep(items.get(i), Litmus.IGNORE)) {
                return i;
            }
        }
        return -1;
    }

    private static long count(SqlNode node, String what) {
        if (node instanceof SqlLiteral literal && literal.getValue() instanceof BigDecimal number) {
            try {
                long count = number.longValueExact();
                if (count >= 0 && count <= Integer.MAX_VALUE) {
                    return count;
                }
            } catch (ArithmeticException e) {
                throw SqlErrors.invalid(node, what + " is " + number + ": use a whole number");
            }
        }
        throw SqlErrors.invalid(node, what + " is " + node + ": use a whole number, 0 to " + Integer.MAX_VALUE);
    }
}
