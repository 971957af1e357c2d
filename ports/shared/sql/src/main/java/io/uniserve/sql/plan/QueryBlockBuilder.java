package io.uniserve.sql.plan;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.sql.parse.AggregateCatalog;
import io.uniserve.sql.parse.ParsedQuery;
import io.uniserve.sql.parse.SqlNodeUtils;
import io.uniserve.sql.plan.QueryBlock.Item;
import io.uniserve.sql.plan.QueryBlock.Output;
import io.uniserve.sql.plan.QueryBlock.Source;
import io.uniserve.sql.plan.write.QueryScope;
import io.uniserve.sql.plan.write.QueryScope.ScopedExpression;
import io.uniserve.sql.plan.write.SubQuery;
import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.util.Litmus;
import org.jspecify.annotations.Nullable;

/** Builder of query blocks from a validated tree: one for the query, and one per sub-query that is not inlined. For one tree. */
final class QueryBlockBuilder {
    /** Maximum number of stages of one query. */
    private static final int STAGES_MAX = 64;

    private final Map<String, ColumnSchema> tables;
    private final Map<Integer, QueryBlock> blocks = new TreeMap<>();
    private final Map<SqlNode, Integer> numberByNode = new IdentityHashMap<>();
    private int numbers;

    /** Names of WITH that are visible. */
    private record WithScope(Map<String, WithScope> scopes, Map<String, SqlWithItem> items) {
        static final WithScope NONE = new WithScope(Map.of(), Map.of());

        WithScope plus(SqlWithItem item) {
            Map<String, WithScope> moreScopes = new TreeMap<>(scopes);
            Map<String, SqlWithItem> moreItems = new TreeMap<>(items);
            String name = SqlNodeUtils.lower(item.name.getSimple());
            moreScopes.put(name, this);
            moreItems.put(name, item);
            return new WithScope(moreScopes, moreItems);
        }
    }

    /** State of a block while its FROM is read. */
    private static final class BlockContext {
        final List<Item> tables = new ArrayList<>();
        final List<Item> answers = new ArrayList<>();
        final List<ScopedExpression> where = new ArrayList<>();
        final List<SubQuery> subQueries = new ArrayList<>();
    }

    /** Parts of a SELECT. Correlated conditions are kept apart. */
    private record ParsedSelect(
            SqlSelect select,
            Source rows,
            List<SqlNode> correlated,
            List<SqlNode> answers,
            List<String> titles,
            List<String> aliases,
            boolean grouped,
            List<SubQuery> subQueries) {}

    private QueryBlockBuilder(Map<String, ColumnSchema> tables) {
        this.tables = tables;
    }

    /**
     * Returns the blocks by their numbers.
     *
     * @param tables by their names, whose case does not matter
     */
    static Map<Integer, QueryBlock> read(Map<String, ColumnSchema> tables, SqlNode query) {
        QueryBlockBuilder reader = new QueryBlockBuilder(tables);
        reader.addIndependent(query, WithScope.NONE);
        return reader.blocks;
    }

    private int number(SqlNode place) {
        if (numbers == STAGES_MAX) {
            throw SqlErrorFactory.unsupported(place, "a query with more than " + STAGES_MAX + " sub-queries is");
        }
        return numbers++;
    }

    /** Reads an uncorrelated query. */
    private int addIndependent(SqlNode query, WithScope withs) {
        int number = number(query);
        ParsedSelect read = readSelect(query, null, withs);
        List<ScopedExpression> answers = terms(read.answers, read.rows.scope());
        SqlSelect select = read.select;
        Output wanted = new Output(
                answers,
                read.titles,
                read.aliases,
                select.isDistinct(),
                groups(select),
                read.grouped,
                select.getHaving(),
                select);
        add(new QueryBlock(number, query, read.rows, wanted, Optional.empty()), read.subQueries);
        return number;
    }

    /** Adds a block, and the key stages that find the values for which its sub-queries are needed. */
    private void add(QueryBlock queryBlock, List<SubQuery> subs) {
        blocks.put(queryBlock.number(), queryBlock);
        Source rows = queryBlock.source();
        for (SubQuery sub : subs) {
            if (sub.keyStage() < 0) {
                continue;
            }
            List<ScopedExpression> where = rows.where().stream()
                    .filter(scopedExpression -> scopedExpression.names().subQueries(scopedExpression.node()).stream()
                            .noneMatch(SubQuery::isCorrelated))
                    .toList();
            List<ScopedExpression> keys = sub.equalities().stream()
                    .map(one -> new ScopedExpression(one.outerExpression(), sub.outerScope()))
                    .toList();
            Source all = new Source(rows.scope(), rows.from(), rows.tables(), rows.answers(), where);
            Output distinct = new Output(
                    keys, noAliases(keys.size()), noAliases(keys.size()), true, List.of(), false, null, null);
            blocks.put(
                    sub.keyStage(), new QueryBlock(sub.keyStage(), sub.place(), all, distinct, queryBlock.reduction()));
        }
    }

    private static List<String> noAliases(int count) {
        return Collections.nCopies(count, "");
    }

    private static List<ScopedExpression> terms(List<SqlNode> nodes, QueryScope queryScope) {
        return nodes.stream()
                .map(node -> new ScopedExpression(node, queryScope))
                .toList();
    }

    private static List<SqlNode> groups(SqlSelect select) {
        SqlNodeList groups = select.getGroup();
        return groups == null ? List.of() : groups.getList();
    }

    private ParsedSelect readSelect(SqlNode query, @Nullable QueryScope around, WithScope outer) {
        WithScope withs = outer;
        SqlNode body = query;
        while (body instanceof SqlWith with) {
            for (SqlNode one : with.withList) {
                SqlWithItem item = (SqlWithItem) one;
                if (item.recursive.booleanValue()) {
                    throw SqlErrorFactory.unsupported(item, "WITH RECURSIVE is");
                }
                withs = withs.plus(item);
            }
            body = with.body;
        }
        if (!(body instanceof SqlSelect)) {
            throw SqlErrorFactory.unsupported(body, SqlErrorFactory.words(body.getKind()) + " is");
        }
        SqlSelect select = ParsedQuery.select(body);
        QueryScope queryScope = new QueryScope(around);
        BlockContext level = new BlockContext();
        List<ScopedExpression> on = new ArrayList<>();
        JoinTree from = source(select.getFrom(), queryScope, level, withs, false, on);
        readOn(on, queryScope, level, withs);
        List<SqlNode> correlated = new ArrayList<>();
        for (SqlNode one : SqlNodeUtils.conjuncts(select.getWhere())) {
            addSubQueries(one, queryScope, level, withs);
            if (queryScope.outerNames(one).isEmpty()) {
                level.where.add(new ScopedExpression(one, queryScope));
            } else {
                correlated.add(one);
            }
        }
        List<SqlNode> answers = new ArrayList<>();
        List<String> titles = new ArrayList<>();
        select.getSelectList().forEach(item -> addAnswer(item, queryScope, answers, titles));
        for (SqlNode one : answers) {
            addSubQueries(one, queryScope, level, withs);
        }
        for (SqlNode one : groups(select)) {
            addSubQueries(one, queryScope, level, withs);
        }
        if (select.getHaving() != null) {
            addSubQueries(select.getHaving(), queryScope, level, withs);
        }
        if (select.getOrderList() != null) {
            addSubQueries(select.getOrderList(), queryScope, level, withs);
        }
        boolean grouped = select.getGroup() != null
                || select.getHaving() != null
                || answers.stream().anyMatch(AggregateCatalog::containsAggregate);
        Source rows = new Source(queryScope, from, level.tables, level.answers, level.where);
        List<String> aliases = select.getSelectList().stream()
                .flatMap(item -> aliases(item, queryScope))
                .toList();
        return new ParsedSelect(select, rows, correlated, answers, titles, aliases, grouped, level.subQueries);
    }

    private void readOn(List<ScopedExpression> on, QueryScope queryScope, BlockContext level, WithScope withs) {
        for (ScopedExpression scopedExpression : on) {
            addSubQueries(scopedExpression.node(), queryScope, level, withs);
            if (queryScope.subQueries(scopedExpression.node()).stream().anyMatch(SubQuery::isCorrelated)) {
                throw SqlErrorFactory.unsupported(
                        scopedExpression.node(), "a sub-query in ON that names columns of the query around it is");
            }
        }
    }

    /** Returns the alias of an item per column of the answer; "" for none. */
    private static Stream<String> aliases(SqlNode item, QueryScope queryScope) {
        if (item instanceof SqlIdentifier star && star.isStar()) {
            return queryScope.expandStar(star).stream().map(name -> "");
        }
        return Stream.of(
                item.getKind() == SqlKind.AS && item instanceof SqlCall as
                        ? ((SqlIdentifier) as.operand(1)).getSimple()
                        : "");
    }

    private static void addAnswer(SqlNode item, QueryScope queryScope, List<SqlNode> answers, List<String> titles) {
        if (item instanceof SqlIdentifier star && star.isStar()) {
            for (SqlIdentifier name : queryScope.expandStar(star)) {
                answers.add(name);
                titles.add(SqlNodeUtils.last(name));
            }
        } else if (item.getKind() == SqlKind.AS && item instanceof SqlCall as) {
            answers.add(as.operand(0));
            titles.add(((SqlIdentifier) as.operand(1)).getSimple());
        } else {
            answers.add(item);
            titles.add(item instanceof SqlIdentifier name ? SqlNodeUtils.last(name) : "_" + answers.size());
        }
    }

    private JoinTree source(
            @Nullable SqlNode from,
            QueryScope queryScope,
            BlockContext level,
            WithScope withs,
            boolean nulls,
            List<ScopedExpression> on) {
        if (from instanceof SqlJoin join) {
            return join(join, queryScope, level, withs, nulls, on);
        }
        SqlNode table = Objects.requireNonNull(from);
        String alias = "";
        List<String> columns = List.of();
        if (from.getKind() == SqlKind.AS && from instanceof SqlCall as) {
            table = as.operand(0);
            alias = ((SqlIdentifier) as.operand(1)).getSimple();
            columns = as.getOperandList().stream()
                    .skip(2)
                    .map(name -> SqlNodeUtils.lower(((SqlIdentifier) name).getSimple()))
                    .toList();
        }
        if (table instanceof SqlIdentifier name) {
            String simple = name.getSimple();
            String known = alias.isEmpty() ? simple : alias;
            SqlWithItem item = withs.items.get(SqlNodeUtils.lower(simple));
            WithScope scope = withs.scopes.get(SqlNodeUtils.lower(simple));
            if (item == null || scope == null) {
                if (!columns.isEmpty()) {
                    throw SqlErrorFactory.unsupported(from, "a table's alias with names of columns is");
                }
                return table(name, known, queryScope, level);
            }
            if (columns.isEmpty() && item.columnList != null) {
                columns = item.columnList.stream()
                        .map(one -> SqlNodeUtils.lower(((SqlIdentifier) one).getSimple()))
                        .toList();
            }
            return derived(item.query, known, columns, queryScope, level, scope, nulls);
        }
        if (!SqlNodeUtils.isQuery(table)) {
            throw SqlErrorFactory.unsupported(from, "a FROM with " + SqlErrorFactory.words(table.getKind()) + " is");
        }
        return derived(table, alias, columns, queryScope, level, withs, nulls);
    }

    private JoinTree table(SqlIdentifier name, String alias, QueryScope queryScope, BlockContext level) {
        ColumnSchema columns = tables.get(name.getSimple());
        if (columns == null) {
            throw SqlErrorFactory.invalid(name, "table " + name + " is not known");
        }
        if (level.tables.size() == QueryBlock.ANSWERS_FROM) {
            throw SqlErrorFactory.unsupported(name, "a FROM with more than " + QueryBlock.ANSWERS_FROM + " tables is");
        }
        int number = level.tables.size();
        level.tables.add(new Item(alias, name.getSimple(), -1, columns.names(), Optional.of(columns), name));
        queryScope.add(alias, columns, number);
        return new JoinTree.Leaf(number);
    }

    /** Checks that every column of a query in FROM has a unique name. */
    private static void checkNames(SqlNode query, String alias, List<String> columns) {
        if (alias.isEmpty()) {
            throw SqlErrorFactory.unsupported(query, "a sub-query in FROM without a name is");
        }
        if (Set.copyOf(columns).size() < columns.size()) {
            throw SqlErrorFactory.unsupported(query, "a sub-query in FROM with two columns of one name is");
        }
    }

    /** Reads a query in FROM, or one named by WITH: inlined if it only selects rows, otherwise a stage of its own. */
    private JoinTree derived(
            SqlNode query,
            String alias,
            List<String> columns,
            QueryScope queryScope,
            BlockContext level,
            WithScope withs,
            boolean nulls) {
        if (query instanceof SqlSelect select && !nulls && isSimple(select)) {
            QueryScope inner = new QueryScope(null);
            List<ScopedExpression> innerOn = new ArrayList<>();
            JoinTree joinTree = source(ParsedQuery.select(select).getFrom(), inner, level, withs, false, innerOn);
            readOn(innerOn, inner, level, withs);
            for (SqlNode one : SqlNodeUtils.conjuncts(select.getWhere())) {
                addSubQueries(one, inner, level, withs);
                level.where.add(new ScopedExpression(one, inner));
            }
            List<SqlNode> answers = new ArrayList<>();
            List<String> titles = new ArrayList<>();
            select.getSelectList().forEach(item -> addAnswer(item, inner, answers, titles));
            for (SqlNode one : answers) {
                addSubQueries(one, inner, level, withs);
            }
            List<String> all = columns.isEmpty() ? lower(titles) : columns;
            checkNames(query, alias, all);
            queryScope.addInlined(alias, all, terms(answers, inner));
            return joinTree;
        }
        Integer number = numberByNode.get(query);
        if (number == null) {
            number = addIndependent(query, withs);
            numberByNode.put(query, number);
        }
        List<String> titles =
                lower(Objects.requireNonNull(blocks.get(number)).output().titles());
        List<String> all = columns.isEmpty() ? titles : columns;
        checkNames(query, alias, all);
        int item = QueryBlock.ANSWERS_FROM + level.answers.size();
        level.answers.add(new Item(alias, "", number, all, Optional.empty(), query));
        queryScope.add(alias, all, item);
        return new JoinTree.Leaf(item);
    }

    private static List<String> lower(List<String> names) {
        return names.stream().map(SqlNodeUtils::lower).toList();
    }

    /** True if a query only selects rows and expressions over each. A query of constants alone is not inlined, as it has no table. */
    private static boolean isSimple(SqlSelect select) {
        return select.getGroup() == null
                && select.getHaving() == null
                && !select.isDistinct()
                && select.getFetch() == null
                && select.getOffset() == null
                && select.getFrom() != null
                && select.getSelectList().stream().noneMatch(AggregateCatalog::containsAggregate);
    }

    private JoinTree join(
            SqlJoin join,
            QueryScope queryScope,
            BlockContext level,
            WithScope withs,
            boolean nulls,
            List<ScopedExpression> on) {
        ParsedQuery.check(join);
        boolean toRight = join.getJoinType() == JoinType.LEFT;
        boolean toLeft = join.getJoinType() == JoinType.RIGHT;
        JoinTree left = source(join.getLeft(), queryScope, level, withs, nulls || toLeft, on);
        JoinTree right = source(join.getRight(), queryScope, level, withs, nulls || toRight, on);
        List<ScopedExpression> terms = terms(SqlNodeUtils.conjuncts(join.getCondition()), queryScope);
        on.addAll(terms);
        return toLeft
                ? new JoinTree.Join(right, left, true, terms, join)
                : new JoinTree.Join(left, right, toRight, terms, join);
    }

    /** Finds the sub-queries in an expression and makes stages of them. */
    private void addSubQueries(SqlNode expression, QueryScope queryScope, BlockContext level, WithScope withs) {
        if (expression instanceof SqlNodeList list) {
            list.forEach(one -> addSubQueries(one, queryScope, level, withs));
            return;
        }
        if (!(expression instanceof SqlCall call)) {
            return;
        }
        Optional<SubQuery> same = level.subQueries.stream()
                .filter(known ->
                        known.outerScope() == queryScope && known.place().equalsDeep(call, Litmus.IGNORE))
                .findFirst();
        if (same.isPresent()) {
            queryScope.add(call, same.get());
            return;
        }
        SubQueries made = new SubQueries(queryScope, withs, call);
        SubQuery sub = null;
        if (call.getKind() == SqlKind.EXISTS) {
            sub = made.of(SubQuery.Kind.EXISTS, null, call.operand(0));
        } else if ((call.getKind() == SqlKind.IN || call.getKind() == SqlKind.NOT_IN)
                && SqlNodeUtils.isQuery(call.operand(1))) {
            addSubQueries(call.operand(0), queryScope, level, withs);
            SubQuery.Kind how = call.getKind() == SqlKind.IN ? SubQuery.Kind.IN : SubQuery.Kind.NOT_IN;
            sub = made.of(how, call.operand(0), call.operand(1));
        } else if (call.getKind() == SqlKind.SCALAR_QUERY) {
            sub = made.of(SubQuery.Kind.SCALAR, null, call.operand(0));
        } else if (SqlNodeUtils.isQuery(call)) {
            sub = made.of(SubQuery.Kind.SCALAR, null, call);
        }
        if (sub == null) {
            for (SqlNode operand : call.getOperandList()) {
                if (operand != null) {
                    addSubQueries(operand, queryScope, level, withs);
                }
            }
        } else {
            level.subQueries.add(sub);
            queryScope.add(call, sub);
        }
    }

    /** Visitor that builds the sub-queries in expressions of one SELECT. */
    private final class SubQueries {
        private final QueryScope queryScope;
        private final WithScope withs;
        private final SqlNode place;

        SubQueries(QueryScope queryScope, WithScope withs, SqlNode place) {
            this.queryScope = queryScope;
            this.withs = withs;
            this.place = place;
        }

        SubQuery of(SubQuery.Kind how, @Nullable SqlNode left, SqlNode query) {
            int number = number(place);
            ParsedSelect read = readSelect(query, queryScope, withs);
            if (left != null && (left.getKind() == SqlKind.ROW || read.answers.size() != 1)) {
                throw SqlErrorFactory.unsupported(place, "IN with several columns is");
            }
            Decorrelator decorrelator = new Decorrelator(place, queryScope, how, read.rows.scope(), read.grouped);
            read.correlated.forEach(decorrelator::add);
            Output wanted = decorrelator.buildOutput(read.select, read.answers, read.aliases, groups(read.select));
            boolean reducible = !decorrelator.equalities().isEmpty()
                    && decorrelator.equalities().stream()
                            .noneMatch(one -> AggregateCatalog.containsAggregate(one.outerExpression()));
            int keys = reducible ? number(place) : -1;
            Optional<ScopedExpression> reduction =
                    reducible ? Optional.of(decorrelator.reduction(keys)) : Optional.empty();
            add(new QueryBlock(number, query, read.rows, wanted, reduction), read.subQueries);
            return new SubQuery(
                    place,
                    queryScope,
                    how,
                    left,
                    number,
                    decorrelator.equalities(),
                    decorrelator.conditions(),
                    decorrelator.columns(),
                    decorrelator.valueIfEmpty(),
                    keys);
        }
    }
}
