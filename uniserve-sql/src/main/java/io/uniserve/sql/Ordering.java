package io.uniserve.sql;

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
final class Ordering {
    private final List<SqlNode> items;
    private final List<String> answers;
    private final List<String> aliases;
    private final SqlWriter merged;
    private final boolean grouped;
    private final List<Key> keys = new ArrayList<>();
    private final String by;
    private final long limit;
    private final long skip;

    /**
     * One of the values to order by.
     *
     * @param named how the statement over all answers names it
     * @param value the same as an expression over the actors' answers
     * @param how ascending or not, and where NULL comes
     */
    private record Key(String named, String value, String how) {}

    /**
     * Of a SELECT, or of none.
     *
     * @param answers the items as they are written over the actors' answers
     * @param aliases the names that AS gives to items; "" for others
     */
    Ordering(
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
        by = by(keys.stream().map(key -> key.named + key.how).toList());
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
        return limit < 0 ? "" : by + " LIMIT " + most();
    }

    /** Of more rows than a long counts there are none to leave out. */
    private long most() {
        return skip > Long.MAX_VALUE - limit ? Long.MAX_VALUE : skip + limit;
    }

    private static String by(List<String> orders) {
        return orders.isEmpty() ? "" : " ORDER BY " + String.join(", ", orders);
    }

    boolean isLimited() {
        return limit >= 0;
    }

    boolean skips() {
        return skip > 0;
    }

    /** The values to order by, with names of their own. */
    List<String> values() {
        return IntStream.range(0, keys.size())
                .mapToObj(i -> keys.get(i).value + " AS o" + i)
                .toList();
    }

    /** The end of a statement over rows that have {@link #values}: no more than could be in the answer. */
    String firstByValues() {
        return by(IntStream.range(0, keys.size())
                        .mapToObj(i -> "o" + i + keys.get(i).how)
                        .toList())
                + " LIMIT " + most();
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
        // By number where the item is computed last; rows come with all items computed, in columns of their own.
        return grouped
                ? new Key(String.valueOf(item + 1), answers.get(item), suffix)
                : new Key(merged.write(items.get(item)), answers.get(item), suffix);
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
                    && alias.getSimple().equalsIgnoreCase(aliases.get(i))) {
                return i;
            }
        }
        // Columns come behind aliases, those that a star stands for too.
        for (int i = 0; i < items.size(); i++) {
            if (node instanceof SqlIdentifier name
                    && name.isSimple()
                    && items.get(i) instanceof SqlIdentifier column
                    && name.getSimple().equalsIgnoreCase(ColumnWriter.last(column))
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
                throw SqlErrors.invalid(node, what + " is " + number + ": use a whole number, 0 to " + Long.MAX_VALUE);
            }
        }
        throw SqlErrors.invalid(node, what + " is " + node + ": use a whole number, 0 to " + Long.MAX_VALUE);
    }
}
