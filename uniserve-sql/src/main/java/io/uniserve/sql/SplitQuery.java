package io.uniserve.sql;

import io.uniserve.api.Columns;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;

/**
 * A query as two statements of the engine's: one that every actor runs over its rows, and one over all their answers. What
 * the second makes of the first is what the query means over all rows in one place: counts and sums are added, an average is
 * a sum divided by a count, HAVING and ORDER BY come last.
 *
 * @param partial over {@value #ROWS}, with columns c0, c1, ...
 * @param finish over {@value #PARTS}, a table of these columns
 * @param names of the answer's columns
 */
public record SplitQuery(String partial, String finish, List<String> names) {
    /** The name of an actor's table. */
    public static final String ROWS = "rows";

    /** The name of the table that holds the actors' answers. */
    public static final String PARTS = "parts";

    public SplitQuery {
        names = List.copyOf(names);
    }

    /** Refuses, by line and column, what is wrong (INVALID_ARGUMENT) or not supported (UNSUPPORTED). */
    public static SplitQuery of(String table, Columns columns, String text) {
        return new Split(CheckedQuery.of(table, columns, text), columns).query();
    }

    /** One query's work. */
    private static final class Split {
        private final SqlSelect select;
        private final ColumnWriter rows;
        private final List<SqlNode> items = new ArrayList<>();
        private final List<String> names = new ArrayList<>();
        private final Partials partials;
        private final SqlWriter merged;
        private final boolean grouped;

        Split(SqlSelect select, Columns columns) {
            this.select = select;
            rows = new ColumnWriter(columns);
            select.getSelectList().forEach(item -> addItem(item, columns));
            SqlNodeList groups = select.getGroup();
            grouped = groups != null
                    || select.getHaving() != null
                    || items.stream().anyMatch(Aggregates::in);
            partials = new Partials(rows);
            if (grouped) {
                partials.groups(groups == null ? List.of() : groups.getList());
            }
            merged = grouped ? new MergeWriter(partials) : new PlainWriter(partials);
        }

        private void addItem(SqlNode item, Columns columns) {
            if (item instanceof SqlIdentifier star && star.isStar()) {
                columns.names().forEach(name -> {
                    items.add(new SqlIdentifier(name, item.getParserPosition()));
                    names.add(name);
                });
            } else if (item.getKind() == SqlKind.AS && item instanceof SqlCall as) {
                items.add(as.operand(0));
                names.add(((SqlIdentifier) as.operand(1)).getSimple());
            } else {
                items.add(item);
                names.add(item instanceof SqlIdentifier name ? ColumnWriter.last(name) : "_" + items.size());
            }
        }

        SplitQuery query() {
            String distinct = select.isDistinct() ? "DISTINCT " : "";
            List<String> answers = items.stream().map(merged::write).toList();
            StringBuilder finish =
                    new StringBuilder("SELECT " + distinct + String.join(", ", answers) + " FROM " + PARTS);
            if (partials.groups() > 0) {
                finish.append(" GROUP BY ").append(String.join(", ", partials.groupColumns()));
            }
            SqlNode having = select.getHaving();
            if (having != null) {
                finish.append(" HAVING ").append(merged.write(having));
            }
            List<Order> orders = orders();
            if (!orders.isEmpty()) {
                finish.append(" ORDER BY ")
                        .append(String.join(
                                ", ", orders.stream().map(Order::text).toList()));
            }
            SqlNode fetch = select.getFetch();
            SqlNode offset = select.getOffset();
            long skip = offset == null ? 0 : count(offset, "OFFSET");
            if (fetch != null) {
                finish.append(" LIMIT ").append(count(fetch, "LIMIT"));
            }
            if (skip > 0) {
                finish.append(" OFFSET ").append(skip);
            }
            String first = fetch == null || grouped ? "" : first(orders, skip + count(fetch, "LIMIT"));
            return new SplitQuery(partial(grouped ? "" : distinct) + first, finish.toString(), names);
        }

        /** Of rows that are not grouped an actor sends no more than could be in the answer. */
        private static String first(List<Order> orders, long limit) {
            String by = orders.isEmpty()
                    ? ""
                    : " ORDER BY "
                            + String.join(", ", orders.stream().map(Order::text).toList());
            return by + " LIMIT " + limit;
        }

        private String partial(String distinct) {
            SqlNode where = select.getWhere();
            StringBuilder text = new StringBuilder("SELECT " + distinct + partials.columns() + " FROM " + ROWS);
            if (where != null) {
                text.append(" WHERE ").append(rows.write(where));
            }
            if (partials.groups() > 0) {
                text.append(" GROUP BY ").append(String.join(", ", partials.groupNumbers()));
            }
            return text.toString();
        }

        private List<Order> orders() {
            List<Order> orders = new ArrayList<>();
            SqlNodeList list = select.getOrderList();
            if (list != null) {
                list.forEach(node -> orders.add(order(node, "")));
            }
            return orders;
        }

        private Order order(SqlNode node, String suffix) {
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
                return new Order(merged.write(node) + suffix);
            }
            // By number where the item is computed last; rows come with all items computed, in columns of their own.
            return new Order((grouped ? String.valueOf(item + 1) : merged.write(items.get(item))) + suffix);
        }

        /** The item of the answer that an ORDER BY names by number, alias or the same expression; -1 for none. */
        private int item(SqlNode node) {
            if (node instanceof SqlLiteral number && number.getKind() == SqlKind.LITERAL) {
                long position = count(number, "ORDER BY");
                if (position < 1 || position > items.size()) {
                    throw SqlErrors.invalid(
                            node, "ORDER BY " + position + ": the answer has " + items.size() + " columns");
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
                if (node.equalsDeep(items.get(i), org.apache.calcite.util.Litmus.IGNORE)) {
                    return i;
                }
            }
            return -1;
        }

        private static long count(SqlNode node, String what) {
            if (node instanceof SqlLiteral literal && literal.getValue() instanceof java.math.BigDecimal number) {
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

        private record Order(String text) {}
    }
}
