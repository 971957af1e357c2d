package io.uniserve.sql;

import io.uniserve.api.extra.ColumnType.Kind;
import io.uniserve.api.extra.Columns;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.jspecify.annotations.Nullable;

/**
 * One SELECT of a query, which is answered as a stage of its own: sub-queries that are no more than a part of the query around
 * them are inlined in it, and of all others it reads answers.
 *
 * @param number of the stage; that of the whole query is {@link #MAIN}
 * @param place of it in the text
 * @param reduction a condition that leaves those of its rows that the query around it can use, where that was asked before
 */
record QueryBlock(int number, SqlNode place, Rows rows, Wanted wanted, Optional<ScopedExpression> reduction) {
    static final int MAIN = 0;

    /** Items from this number on are answers of other stages; those below are tables. */
    static final int GIVEN = 16;

    /**
     * What FROM has.
     *
     * @param alias its name there
     * @param table its own name, "" for an answer
     * @param block the stage whose answer it is, or less than 0
     * @param columns names of small letters
     * @param typed of a table all that is known of its columns; none of an answer
     */
    record Item(String alias, String table, int block, List<String> columns, Optional<Columns> typed, SqlNode place) {
        /** The names that tell a table's rows apart. */
        List<String> primary() {
            return typed.map(Columns::primary).orElse(List.of());
        }

        /** Whether a column and one of another table are both whole numbers, or both texts. */
        boolean comparable(String column, Item other, String others) {
            Optional<Kind> one = kind(column);
            Optional<Kind> two = other.kind(others);
            return (one.filter(Item::whole).isPresent()
                            && two.filter(Item::whole).isPresent())
                    || (one.equals(Optional.of(Kind.VARCHAR)) && one.equals(two));
        }

        /** The same, and of the same type. */
        boolean same(String column, Item other, String others) {
            return comparable(column, other, others) && kind(column).equals(other.kind(others));
        }

        private static boolean whole(Kind kind) {
            return kind == Kind.BIGINT || kind == Kind.INTEGER;
        }

        private Optional<Kind> kind(String column) {
            return typed.stream()
                    .flatMap(all -> all.columns().stream())
                    .filter(one -> one.name().equals(column))
                    .map(one -> one.type().kind())
                    .findFirst();
        }
    }

    /**
     * FROM and WHERE.
     *
     * @param tables by their numbers
     * @param given answers of other stages, by their numbers less {@link #GIVEN}
     * @param where conditions, all of which must hold
     */
    record Rows(QueryScope names, JoinTree from, List<Item> tables, List<Item> given, List<ScopedExpression> where) {
        Item item(int number) {
            return number < GIVEN ? tables.get(number) : given.get(number - GIVEN);
        }

        /** The numbers of all items. */
        List<Integer> items() {
            List<Integer> all = new ArrayList<>();
            for (int i = 0; i < tables.size(); i++) {
                all.add(i);
            }
            for (int i = 0; i < given.size(); i++) {
                all.add(GIVEN + i);
            }
            return all;
        }
    }

    /**
     * What is asked of the rows.
     *
     * @param titles names of the answers
     * @param aliases those of them that AS gives; "" for others
     * @param groups expressions to group by
     * @param grouped false where each row counts for itself
     * @param order the SELECT with its ORDER BY, LIMIT and OFFSET; none where they do not matter
     */
    record Wanted(
            List<ScopedExpression> answers,
            List<String> titles,
            List<String> aliases,
            boolean distinct,
            List<SqlNode> groups,
            boolean grouped,
            @Nullable SqlNode having,
            @Nullable SqlSelect order) {}

    /** True for an answer of exactly one row. */
    boolean single() {
        return wanted.grouped && wanted.groups.isEmpty() && wanted.having == null;
    }

    /** The sub-queries in its expressions, each once. */
    List<SubQuery> subs() {
        return Stream.concat(inWhere().stream(), besides().stream()).distinct().toList();
    }

    /** Those that stand in conditions of WHERE and nowhere else: actors evaluate these, all of them and in one statement. */
    List<SubQuery> inWhereAlone() {
        List<SubQuery> others = besides();
        return inWhere().stream()
                .distinct()
                .filter(sub -> !others.contains(sub))
                .toList();
    }

    private List<SubQuery> inWhere() {
        return rows.where.stream()
                .flatMap(scopedExpression -> scopedExpression.names().subs(scopedExpression.node()).stream())
                .toList();
    }

    private List<SubQuery> besides() {
        List<SubQuery> all = new ArrayList<>();
        Consumer<SqlNode> look = node -> all.addAll(rows.names.subs(node));
        on(rows.from, all);
        wanted.answers.forEach(
                scopedExpression -> all.addAll(scopedExpression.names().subs(scopedExpression.node())));
        wanted.groups.forEach(look);
        if (wanted.having != null) {
            look.accept(wanted.having);
        }
        if (wanted.order != null && wanted.order.getOrderList() != null) {
            wanted.order.getOrderList().forEach(look);
        }
        return all;
    }

    /** The same where rows may be there more than once. */
    QueryBlock notDistinct() {
        Wanted all = new Wanted(
                wanted.answers,
                wanted.titles,
                wanted.aliases,
                false,
                wanted.groups,
                wanted.grouped,
                wanted.having,
                wanted.order);
        return new QueryBlock(number, place, rows, all, Optional.empty());
    }

    private static void on(JoinTree joinTree, List<SubQuery> into) {
        if (joinTree instanceof JoinTree.Join join) {
            join.on()
                    .forEach(scopedExpression ->
                            into.addAll(scopedExpression.names().subs(scopedExpression.node())));
            on(join.left(), into);
            on(join.right(), into);
        }
    }
}
