package io.uniserve.sql;

import io.uniserve.api.Columns;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.SplitQuery.Reduction;
import io.uniserve.sql.SplitQuery.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;

/** One query's way to {@link SplitQuery}. */
final class Split {
    private final SqlSelect select;
    private final ParsedQuery parsed;
    private final Names names;
    private final Conditions conditions;
    private final int stays;
    /** The columns that the join wants of each table, in the order in which it was found to want them. */
    private final List<List<String>> wanted = new ArrayList<>();

    private final ColumnWriter rows;
    private final List<SqlNode> items = new ArrayList<>();
    private final List<String> titles = new ArrayList<>();
    private final Partials partials;
    private final SqlWriter merged;
    private final boolean grouped;

    Split(Map<String, Columns> tables, SqlSelect select, int stays) {
        this.select = select;
        parsed = ParsedQuery.of(select, select);
        names = new Names(parsed.tables(), tables);
        conditions = new Conditions(names, parsed.from(), select.getWhere());
        this.stays = stays < 0 ? first() : stays;
        if (this.stays >= names.count() || !parsed.from().keeps(this.stays)) {
            throw UniserveException.invalid("the table at place " + stays + " of FROM cannot stay in its place");
        }
        IntStream.range(0, names.count()).forEach(item -> wanted.add(new ArrayList<>()));
        rows = new ColumnWriter(names, names.count() == 1 ? ColumnWriter::alone : this::joined);
        select.getSelectList().forEach(this::addItem);
        SqlNodeList groups = select.getGroup();
        grouped = groups != null || select.getHaving() != null || items.stream().anyMatch(Aggregates::in);
        partials = new Partials(rows);
        if (grouped) {
            partials.groups(groups == null ? List.of() : groups.getList());
        }
        merged = grouped ? new MergeWriter(partials) : new PlainWriter(partials);
    }

    private int first() {
        return IntStream.range(0, names.count())
                .filter(parsed.from()::keeps)
                .findFirst()
                .orElseThrow();
    }

    private String joined(Names.Found column) {
        if (column.item() == stays) {
            return SplitQuery.ROWS + "." + ColumnWriter.alone(column);
        }
        return SplitQuery.side(column.item()) + "." + sent(column);
    }

    /** The name of a column in what its table sends. */
    private String sent(Names.Found column) {
        List<String> columns = wanted.get(column.item());
        if (!columns.contains(column.column())) {
            columns.add(column.column());
        }
        return "c" + columns.indexOf(column.column());
    }

    private void addItem(SqlNode item) {
        if (item instanceof SqlIdentifier star && star.isStar()) {
            for (int table : names.items(star)) {
                for (String name : names.columns(table).names()) {
                    items.add(new SqlIdentifier(List.of(names.named(table).alias(), name), item.getParserPosition()));
                    titles.add(name);
                }
            }
        } else if (item.getKind() == SqlKind.AS && item instanceof SqlCall as) {
            items.add(as.operand(0));
            titles.add(((SqlIdentifier) as.operand(1)).getSimple());
        } else {
            items.add(item);
            titles.add(item instanceof SqlIdentifier name ? ColumnWriter.last(name) : "_" + items.size());
        }
    }

    SplitQuery query() {
        String distinct = select.isDistinct() ? "DISTINCT " : "";
        List<String> answers = items.stream().map(merged::write).toList();
        StringBuilder finish =
                new StringBuilder("SELECT " + distinct + String.join(", ", answers) + " FROM " + SplitQuery.PARTS);
        if (partials.groups() > 0) {
            finish.append(" GROUP BY ").append(String.join(", ", partials.groupColumns()));
        }
        SqlNode having = select.getHaving();
        if (having != null) {
            finish.append(" HAVING ").append(merged.write(having));
        }
        Ordering ordering = new Ordering(select, items, titles, merged, grouped);
        finish.append(ordering.last());
        String partial = partial(grouped ? "" : distinct) + (grouped ? "" : ordering.first());
        return new SplitQuery(partial, finish.toString(), titles, stays, sides());
    }

    private String partial(String distinct) {
        List<String> where = new ArrayList<>();
        SqlNode all = select.getWhere();
        if (names.count() > 1) {
            conditions.own(stays).forEach(one -> where.add(rows.write(one)));
            conditions.where().forEach(one -> where.add(rows.write(one)));
        } else if (all != null) {
            where.add(rows.write(all));
        }
        // What FROM wants of the sides is found out before their columns are listed.
        String text = " FROM " + from(parsed.from()) + SplitQuery.where(where);
        return "SELECT " + distinct + partials.columns() + text
                + (partials.groups() > 0 ? " GROUP BY " + String.join(", ", partials.groupNumbers()) : "");
    }

    private String from(Source source) {
        if (source instanceof Source.Join join) {
            List<String> on = conditions.on(join).stream().map(rows::write).toList();
            String how = on.isEmpty() ? " CROSS JOIN " : join.outer() ? " LEFT JOIN " : " JOIN ";
            String text = from(join.left()) + how + from(join.right());
            return "(" + text + (on.isEmpty() ? "" : " ON " + String.join(" AND ", on)) + ")";
        }
        int item = ((Source.Leaf) source).item();
        return item == stays ? SplitQuery.ROWS : SplitQuery.side(item);
    }

    private List<Side> sides() {
        List<Side> sides = new ArrayList<>();
        for (int item = 0; item < names.count(); item++) {
            ColumnWriter alone = new ColumnWriter(names, ColumnWriter::alone);
            List<String> own = conditions.own(item).stream().map(alone::write).toList();
            List<Reduction> reductions = new ArrayList<>();
            for (Conditions.Equality equality : conditions.equalities()) {
                if (equality.of(item).isPresent() && equality.other(item).item() != stays) {
                    Names.Found other = equality.other(item);
                    String in = ColumnWriter.alone(equality.of(item).get()) + " IN (SELECT " + sent(other) + " FROM "
                            + SplitQuery.side(other.item()) + ")";
                    reductions.add(new Reduction(other.item(), in));
                }
            }
            sides.add(new Side(
                    names.named(item).alias(),
                    names.named(item).table(),
                    wanted.get(item),
                    own,
                    reductions,
                    parsed.from().keeps(item)));
        }
        return sides;
    }
}
