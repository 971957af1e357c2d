package io.uniserve.sql.plan.write;

import io.uniserve.sql.parse.SqlNodeUtils;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
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
public final class OrderByClause {
    private final List<SqlNode> items;
    private final List<String> answers;
    private final List<String> aliases;
    private final SqlWriter merged;
    private final boolean grouped;
    private final List<Key> keys = new ArrayList<>();
    private final String orderBy;
    private final long limit;
    private final long offsetRows;

    /**
     * Key of ORDER BY.
     *
     * @param named its name in the merge statement
     * @param value the same as an expression over the actors' answers
     * @param direction the direction and the place of NULLs
     */
    private record Key(String named, String value, String direction) {}

    /**
     * Reads the clauses of a SELECT, or of none.
     *
     * @param answers the items as written over the actors' answers
     * @param aliases the names that AS gives to items; "" for items without
     */
    public OrderByClause(
            @Nullable SqlSelect select,
            List<SqlNode> items,
            List<String> answers,
            List<String> aliases,
            SqlWriter merged,
            boolean grouped) {
        this.items = items;
        this.answers = answers;
        this.aliases = aliases;
        this.merged = merged;
        this.grouped = grouped;
        SqlNodeList list = select == null ? null : select.getOrderList();
        if (list != null) {
            list.forEach(node -> keys.add(order(node, "")));
        }
        orderBy = by(keys.stream().map(key -> key.named + key.direction).toList());
        SqlNode offset = select == null ? null : select.getOffset();
        offsetRows = offset == null ? 0 : count(offset, "OFFSET");
        SqlNode fetch = select == null ? null : select.getFetch();
        limit = fetch == null ? -1 : count(fetch, "LIMIT");
    }

    /** Returns the end of the merge statement. */
    public String mergeClause() {
        return orderBy + (limit < 0 ? "" : " LIMIT " + limit) + (offsetRows > 0 ? " OFFSET " + offsetRows : "");
    }

    /** Returns the end of the partial statement of a query without groups: an actor sends only rows that can be in the answer. */
    public String partialClause() {
        return limit < 0 ? "" : orderBy + " LIMIT " + rowsMax();
    }

    /** Returns LIMIT plus OFFSET, saturated at the maximum of a long. */
    private long rowsMax() {
        return offsetRows > Long.MAX_VALUE - limit ? Long.MAX_VALUE : offsetRows + limit;
    }

    private static String by(List<String> orders) {
        return orders.isEmpty() ? "" : " ORDER BY " + String.join(", ", orders);
    }

    public boolean isLimited() {
        return limit >= 0;
    }

    public boolean hasOffset() {
        return offsetRows > 0;
    }

    /** Returns the ORDER BY keys as columns with names of their own. */
    public List<String> values() {
        return IntStream.range(0, keys.size())
                .mapToObj(i -> keys.get(i).value + " AS o" + i)
                .toList();
    }

    /** Returns the end of a statement over rows that have {@link #values}: only rows that can be in the answer. */
    public String topClause() {
        return by(IntStream.range(0, keys.size())
                        .mapToObj(i -> "o" + i + keys.get(i).direction)
                        .toList())
                + " LIMIT " + rowsMax();
    }

    private Key order(SqlNode node, String suffix) {
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
            String value = merged.write(node);
            return new Key(value, value, suffix);
        }
        // By number if the merge computes the item. Otherwise rows have all items computed, in columns of their own.
        return grouped
                ? new Key(String.valueOf(item + 1), answers.get(item), suffix)
                : new Key(merged.write(items.get(item)), answers.get(item), suffix);
    }

    /** Returns the item that an ORDER BY key names by number, alias or the same expression; -1 for none. */
    private int item(SqlNode node) {
        if (node instanceof SqlLiteral number && number.getKind() == SqlKind.LITERAL) {
            long position = count(number, "ORDER BY");
            if (position < 1 || position > items.size()) {
                throw SqlErrorFactory.invalid(
                        node, "ORDER BY " + position + ": the answer has " + items.size() + " columns");
            }
            return (int) position - 1;
        }
        for (int i = 0; i < items.size(); i++) {
            if (node instanceof SqlIdentifier alias
                    && alias.isSimple()
                    && alias.getSimple().equalsIgnoreCase(aliases.get(i))) {
                return i;
            }
        }
        // Aliases come before columns, also before those from a star.
        for (int i = 0; i < items.size(); i++) {
            if (node instanceof SqlIdentifier name
                    && name.isSimple()
                    && items.get(i) instanceof SqlIdentifier column
                    && name.getSimple().equalsIgnoreCase(SqlNodeUtils.last(column))
                    && aliases.get(i).isEmpty()) {
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
                if (count >= 0) {
                    return count;
                }
            } catch (ArithmeticException e) {
                throw SqlErrorFactory.invalid(
                        node, what + " is " + number + ": use a whole number, 0 to " + Long.MAX_VALUE);
            }
        }
        throw SqlErrorFactory.invalid(node, what + " is " + node + ": use a whole number, 0 to " + Long.MAX_VALUE);
    }
}
