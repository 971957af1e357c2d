package io.uniserve.sql;

import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;

/**
 * Where the conditions of a join are evaluated: those of one table alone before it, where its rows are; the others at the
 * join. Refuses a join without an equality, which would make rows by the product.
 */
final class Conditions {
    private final Names names;
    private final Source from;
    private final List<List<SqlNode>> own = new ArrayList<>();
    private final List<SqlNode> where = new ArrayList<>();
    private final Map<Source.Join, List<SqlNode>> on = new IdentityHashMap<>();
    private final List<Equality> equalities = new ArrayList<>();
    private final int[] group;

    /** Columns that are equal in every row of the join: of one table only rows matter whose value the other has too. */
    record Equality(Names.Found left, Names.Found right) {
        /** The table's column, where it is one of the two. */
        Optional<Names.Found> of(int item) {
            return left.item() == item ? Optional.of(left) : Optional.of(right).filter(found -> found.item() == item);
        }

        Names.Found other(int item) {
            return left.item() == item ? right : left;
        }
    }

    Conditions(Names names, Source from, @Nullable SqlNode where) {
        this.names = names;
        this.from = from;
        this.group = IntStream.range(0, names.count()).toArray();
        for (int item = 0; item < names.count(); item++) {
            own.add(new ArrayList<>());
        }
        sort(from);
        for (SqlNode one : ParsedQuery.all(where)) {
            BitSet items = names.items(one);
            relate(one, items, true);
            int item = items.nextSetBit(0);
            boolean alone = items.cardinality() == 1 && from.keeps(item);
            (alone ? own.get(item) : this.where).add(one);
        }
        for (int item = 1; item < names.count(); item++) {
            if (group[item] != group[0]) {
                throw notEqual(names.named(item).name(), item);
            }
        }
    }

    private void sort(Source source) {
        if (!(source instanceof Source.Join join)) {
            return;
        }
        sort(join.left());
        sort(join.right());
        List<SqlNode> rest = new ArrayList<>();
        boolean equal = !join.outer();
        for (SqlNode one : join.on()) {
            BitSet items = names.items(one);
            equal |= relate(one, items, !join.outer())
                    && items.stream().anyMatch(join.left()::has)
                    && items.stream().anyMatch(join.right()::has);
            int item = items.nextSetBit(0);
            boolean alone = items.cardinality() == 1 && join.pushes(item);
            (alone ? own.get(item) : rest).add(one);
        }
        if (!equal) {
            throw SqlErrors.unsupported(join.place(), "a LEFT JOIN whose ON has no equality of both sides' columns is");
        }
        on.put(join, rest);
    }

    private UniserveException notEqual(SqlNode place, int item) {
        return SqlErrors.unsupported(
                place,
                "a join without an equality, such as a.x = b.y, of table "
                        + names.named(item).alias() + " with one of the others is");
    }

    /** Takes note of an equality of two tables' expressions; returns whether it is one. */
    private boolean relate(SqlNode condition, BitSet items, boolean inner) {
        if (condition.getKind() != SqlKind.EQUALS || !(condition instanceof SqlCall equals)) {
            return false;
        }
        BitSet left = names.items((SqlNode) equals.operand(0));
        BitSet right = names.items((SqlNode) equals.operand(1));
        if (left.cardinality() != 1 || right.cardinality() != 1 || left.intersects(right)) {
            return false;
        }
        unite(left.nextSetBit(0), right.nextSetBit(0));
        if (inner && items.stream().allMatch(from::keeps)) {
            column(equals.operand(0))
                    .ifPresent(one ->
                            column(equals.operand(1)).ifPresent(other -> equalities.add(new Equality(one, other))));
        }
        return true;
    }

    private Optional<Names.Found> column(SqlNode node) {
        return node instanceof SqlIdentifier name ? names.find(name) : Optional.empty();
    }

    private void unite(int one, int other) {
        int from = group[other];
        for (int item = 0; item < group.length; item++) {
            group[item] = group[item] == from ? group[one] : group[item];
        }
    }

    /** Conditions of this table alone, evaluated where its rows are. */
    List<SqlNode> own(int item) {
        return own.get(item);
    }

    /** What remains of WHERE. */
    List<SqlNode> where() {
        return where;
    }

    /** What remains of an ON. */
    List<SqlNode> on(Source.Join join) {
        return on.getOrDefault(join, List.of());
    }

    List<Equality> equalities() {
        return equalities;
    }
}
