package io.uniserve.sql.plan;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnType.Kind;
import io.uniserve.sql.parse.ParsedQuery;
import io.uniserve.sql.plan.write.QueryScope;
import io.uniserve.sql.plan.write.QueryScope.ScopedExpression;
import io.uniserve.sql.plan.write.SubQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.jspecify.annotations.Nullable;

/**
 * One SELECT of a query, which is a stage of its own. Simple sub-queries are inlined. The answers of all other sub-queries are inputs of
 * this block.
 *
 * @param number the number of the stage; the whole query is {@link #MAIN}
 * @param place the node in the query's text
 * @param reduction a condition that keeps only rows that the outer query can use, if their values were read before
 */
public record QueryBlock(
        int number, SqlNode place, Source source, Output output, Optional<ScopedExpression> reduction) {
    public static final int MAIN = 0;

    /** Items from this number on are answers of other stages; lower ones are tables. */
    public static final int ANSWERS_FROM = ParsedQuery.FROM_TABLES_MAX;

    /**
     * Item of FROM.
     *
     * @param alias its name in FROM
     * @param table the table's own name; "" for an answer
     * @param block the stage of the answer; negative for a table
     * @param columns names in lower case
     * @param typed the columns of a table with their types; empty for an answer
     */
    public record Item(
            String alias, String table, int block, List<String> columns, Optional<ColumnSchema> typed, SqlNode place) {
        /** Returns the primary key of a table. */
        List<String> primaryKey() {
            return typed.map(ColumnSchema::primaryKey).orElse(List.of());
        }

        /** True if both columns are whole numbers, or both are texts. */
        boolean isComparable(String column, Item other, String others) {
            Optional<Kind> one = kind(column);
            Optional<Kind> two = other.kind(others);
            return (one.filter(Item::whole).isPresent()
                            && two.filter(Item::whole).isPresent())
                    || (one.equals(Optional.of(Kind.VARCHAR)) && one.equals(two));
        }

        /** True if, in addition, both columns have the same type. */
        boolean hasSameType(String column, Item other, String others) {
            return isComparable(column, other, others) && kind(column).equals(other.kind(others));
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
     * FROM and WHERE of a block.
     *
     * @param tables by item number
     * @param answers answers of other stages, by item number minus {@link #ANSWERS_FROM}
     * @param where the conjuncts of WHERE
     */
    public record Source(
            QueryScope scope, JoinTree from, List<Item> tables, List<Item> answers, List<ScopedExpression> where) {
        public Item item(int number) {
            return number < ANSWERS_FROM ? tables.get(number) : answers.get(number - ANSWERS_FROM);
        }

        /** Returns the numbers of all items. */
        List<Integer> items() {
            List<Integer> all = new ArrayList<>();
            for (int i = 0; i < tables.size(); i++) {
                all.add(i);
            }
            for (int i = 0; i < answers.size(); i++) {
                all.add(ANSWERS_FROM + i);
            }
            return all;
        }
    }

    /**
     * SELECT list, grouping and order of a block.
     *
     * @param titles the names of the answer's columns
     * @param aliases names that AS gives; "" for columns without
     * @param groups the expressions of GROUP BY
     * @param grouped false if each input row is a row of the answer
     * @param order the SELECT with ORDER BY, LIMIT and OFFSET; null if they do not matter
     */
    record Output(
            List<ScopedExpression> selectItems,
            List<String> titles,
            List<String> aliases,
            boolean distinct,
            List<SqlNode> groups,
            boolean grouped,
            @Nullable SqlNode having,
            @Nullable SqlSelect order) {}

    /** True if the answer has exactly one row. */
    boolean isSingleRow() {
        return output.grouped && output.groups.isEmpty() && output.having == null;
    }

    /** Returns the sub-queries of its expressions, without duplicates. */
    public List<SubQuery> subQueries() {
        return Stream.concat(subQueriesInWhere().stream(), subQueriesOutsideWhere().stream())
                .distinct()
                .toList();
    }

    /** Returns the sub-queries that occur only in conditions of WHERE: actors evaluate all of these in one statement. */
    List<SubQuery> subQueriesInWhereOnly() {
        List<SubQuery> others = subQueriesOutsideWhere();
        return subQueriesInWhere().stream()
                .distinct()
                .filter(sub -> !others.contains(sub))
                .toList();
    }

    private List<SubQuery> subQueriesInWhere() {
        return source.where.stream()
                .flatMap(scopedExpression -> scopedExpression.names().subQueries(scopedExpression.node()).stream())
                .toList();
    }

    private List<SubQuery> subQueriesOutsideWhere() {
        List<SubQuery> all = new ArrayList<>();
        Consumer<SqlNode> look = node -> all.addAll(source.scope.subQueries(node));
        on(source.from, all);
        output.selectItems.forEach(
                scopedExpression -> all.addAll(scopedExpression.names().subQueries(scopedExpression.node())));
        output.groups.forEach(look);
        if (output.having != null) {
            look.accept(output.having);
        }
        if (output.order != null && output.order.getOrderList() != null) {
            output.order.getOrderList().forEach(look);
        }
        return all;
    }

    /** Returns the block without DISTINCT. */
    QueryBlock withoutDistinct() {
        Output all = new Output(
                output.selectItems,
                output.titles,
                output.aliases,
                false,
                output.groups,
                output.grouped,
                output.having,
                output.order);
        return new QueryBlock(number, place, source, all, Optional.empty());
    }

    private static void on(JoinTree joinTree, List<SubQuery> into) {
        if (joinTree instanceof JoinTree.Join join) {
            join.on()
                    .forEach(scopedExpression ->
                            into.addAll(scopedExpression.names().subQueries(scopedExpression.node())));
            on(join.left(), into);
            on(join.right(), into);
        }
    }
}
