package io.uniserve.sql.execute;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.sql.plan.ColocatedSubquerySelector;
import io.uniserve.sql.plan.FragmentedPlan;
import io.uniserve.sql.plan.QueryBlock;
import io.uniserve.sql.plan.QueryPlan;
import io.uniserve.sql.plan.QueryStage;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.plan.write.SubQuery;
import io.uniserve.sql.rows.BroadcastSize;
import io.uniserve.sql.rows.PackedRows;
import io.uniserve.sql.rows.SqlErrorFactory;
import io.uniserve.sql.rows.SqlRows;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.calcite.sql.SqlNode;

/**
 * Scheduler of a query's stages: they run one after the other, and each reads answers of earlier ones. A correlated sub-query may be
 * limited to the rows that the outer query needs: a key stage before it collects their values. A sub-query that is co-located with the rows
 * that need it is not run as a stage ({@link ColocatedSubquerySelector}).
 */
final class StageScheduler {
    /** Sub-queries with fewer rows are not reduced. */
    static final int REDUCED_ROWS_MIN = 10_000;

    private final SqlQuery query;
    private final QueryPlan plan;
    private final Function<SqlQuery, StageExecutor> runs;
    private final Optional<ColocatedSubquerySelector> placement;
    private final Map<Integer, PackedRows> answers = new TreeMap<>();
    private final Map<Integer, ColocatedSubQueries> colocatedByStage = new TreeMap<>();

    /** Sub-queries of one stage that can be checked in place. */
    private static final class ColocatedSubQueries {
        private static final ColocatedSubQueries NONE = new ColocatedSubQueries(FragmentedPlan.NO_STATIONARY_ITEM);

        private final int stationaryItem;
        /** Candidates, with the tables that they read. */
        private final Map<Integer, TableName> possible = new TreeMap<>();
        /** Chosen sub-queries, with their approximate row counts. */
        private final Map<Integer, Long> chosen = new TreeMap<>();
        /** Those of the chosen sub-queries whose answers are too large to be sent. */
        private final Set<Integer> tooLarge = new TreeSet<>();

        ColocatedSubQueries(int stays) {
            this.stationaryItem = stays;
        }

        boolean isChosen(SubQuery sub) {
            return chosen.containsKey(sub.block());
        }

        Map<Integer, TableName> tables() {
            Map<Integer, TableName> tables = new TreeMap<>(possible);
            tables.keySet().retainAll(chosen.keySet());
            return tables;
        }

        void remove(Set<Integer> subs) {
            possible.keySet().removeAll(subs);
            chosen.keySet().removeAll(subs);
        }
    }

    /**
     * Schedules a query.
     *
     * @param cluster present if the engine can check sub-queries in place
     */
    StageScheduler(
            SqlQuery query,
            Function<SqlQuery, StageExecutor> runs,
            Optional<ColocatedSubquerySelector.Cluster> cluster) {
        this.query = query;
        this.plan = query.plan();
        this.runs = runs;
        this.placement = cluster.map(known -> new ColocatedSubquerySelector(query, plan, known));
    }

    /** Returns the query's answer. */
    SqlRows rows() {
        QueryBlock main = plan.block(QueryBlock.MAIN);
        answerInputs(main, true, false);
        return rows(main, false, () -> answers.isEmpty() ? Optional.empty() : Optional.of("the query:"));
    }

    private interface Heading {
        Optional<String> text();
    }

    /** Returns the answer of a block whose inputs are available. */
    private SqlRows rows(QueryBlock queryBlock, boolean reduced, Heading head) {
        ColocatedSubQueries there = colocatedSubQueries(queryBlock);
        StageExecutor run = run(queryBlock, reduced);
        head.text().ifPresent(run::addHeading);
        if (there.chosen.isEmpty()) {
            return run.run();
        }
        run.setSubQueries(there.stationaryItem, there.chosen);
        Set<Integer> over;
        try {
            SqlRows rows = run.run();
            if (!rows.isNotColocated()) {
                return rows;
            }
            over = there.chosen.keySet().stream()
                    .filter(sub -> placement.orElseThrow().readsColocated(queryBlock, there.stationaryItem, sub))
                    .collect(Collectors.toSet());
        } catch (UniserveException e) {
            over = new TreeSet<>(there.chosen.keySet());
            over.removeAll(there.tooLarge);
            if (e.code() != ErrorCode.TOO_LARGE || over.isEmpty()) {
                throw e;
            }
            run.addStep("what is sent is too large: once more, with the sub-queries before it");
        }
        there.remove(over);
        answerInputs(queryBlock, true, reduced);
        return rows(queryBlock, reduced, head);
    }

    private ColocatedSubQueries colocatedSubQueries(QueryBlock queryBlock) {
        return colocatedByStage.getOrDefault(queryBlock.number(), ColocatedSubQueries.NONE);
    }

    private SqlQuery stage(QueryBlock queryBlock, boolean reduced) {
        return query.withStage(
                new QueryStage(
                        queryBlock.number(),
                        reduced,
                        false,
                        Set.of(),
                        colocatedSubQueries(queryBlock).tables()),
                answers);
    }

    private StageExecutor run(QueryBlock queryBlock, boolean reduced) {
        return runs.apply(stage(queryBlock, reduced));
    }

    /** Runs the stages that a block reads. Sub-queries that depend on its rows are run only if {@code all} is set. */
    private void answerInputs(QueryBlock queryBlock, boolean all, boolean reduced) {
        queryBlock.source().answers().forEach(item -> answer(plan.block(item.block()), "sub-query", false));
        Map<SubQuery, Set<Integer>> places =
                placement.map(known -> known.placesOf(queryBlock)).orElse(Map.of());
        List<SubQuery> subs = queryBlock.subQueries();
        subs.stream().filter(sub -> !places.containsKey(sub)).forEach(this::answerAlone);
        if (!colocatedByStage.containsKey(queryBlock.number())) {
            colocatedByStage.put(
                    queryBlock.number(),
                    places.isEmpty() ? ColocatedSubQueries.NONE : chooseColocated(queryBlock, places));
        }
        ColocatedSubQueries there = colocatedSubQueries(queryBlock);
        subs.stream()
                .filter(sub -> !there.isChosen(sub))
                .forEach(sub -> answerOrColocate(there, sub, () -> answerAlone(sub)));
        for (SubQuery sub : subs) {
            if (all && sub.isCorrelated() && !there.isChosen(sub)) {
                answerOrColocate(there, sub, () -> answerCorrelated(queryBlock, sub, reduced));
            }
        }
    }

    private void answerAlone(SubQuery sub) {
        if (!sub.isCorrelated() && sub.keyStage() < 0) {
            answer(plan.block(sub.block()), "sub-query", sub.kind() == SubQuery.Kind.SCALAR);
        }
    }

    /** Runs a sub-query. If its answer is too large to be sent and it can be checked in place, it is checked instead. */
    private void answerOrColocate(ColocatedSubQueries there, SubQuery sub, Runnable answering) {
        try {
            answering.run();
        } catch (UniserveException e) {
            if (e.code() != ErrorCode.TOO_LARGE || !there.possible.containsKey(sub.block())) {
                throw e;
            }
            answers.remove(sub.keyStage());
            there.tooLarge.add(sub.block());
            there.chosen.put(sub.block(), estimateRows(plan.block(sub.block())));
        }
    }

    /** Chooses the sub-queries of a block that are checked in place: those whose answers would be sent and are about as large as tables. */
    private ColocatedSubQueries chooseColocated(QueryBlock queryBlock, Map<SubQuery, Set<Integer>> all) {
        ColocatedSubquerySelector known = placement.orElseThrow();
        Map<SubQuery, Set<Integer>> places = new TreeMap<>(Comparator.comparing(SubQuery::block));
        places.putAll(all);
        // Their own inputs are answered first, and may be checked in place themselves.
        places.keySet().forEach(sub -> answerInputs(plan.block(sub.block()), false, false));
        places.keySet()
                .removeIf(sub ->
                        !colocatedSubQueries(plan.block(sub.block())).chosen.isEmpty());
        List<QueryBlock.Item> tables = queryBlock.source().tables();
        List<Long> counts = tables.size() == 1 ? List.of(Long.MAX_VALUE) : counts(queryBlock);
        int stays = IntStream.range(0, tables.size())
                .filter(queryBlock.source().from()::keepsRows)
                .boxed()
                .max(Comparator.comparing(counts::get))
                .orElse(FragmentedPlan.NO_STATIONARY_ITEM);
        ColocatedSubQueries there = new ColocatedSubQueries(stays);
        if (stays >= 0) {
            there.possible.putAll(known.chosenAt(queryBlock, stays, places));
            for (SubQuery sub : places.keySet()) {
                long inside = there.possible.containsKey(sub.block()) ? estimateRows(plan.block(sub.block())) : 0;
                if (known.prefersColocation(queryBlock, stays, sub, counts, inside)
                        && there.possible.containsKey(sub.block())) {
                    there.chosen.put(sub.block(), inside);
                }
            }
        }
        answerFirst(queryBlock, there);
        return there;
    }

    /**
     * A sub-query that limits another one is answered, not checked. Otherwise the other one would be answered for all rows. Example: Q20 of
     * TPC-H sums lines of the parts that a sub-query leaves.
     */
    private void answerFirst(QueryBlock queryBlock, ColocatedSubQueries there) {
        boolean fewer = true;
        while (fewer) {
            Set<Integer> telling = queryBlock.subQueries().stream()
                    .filter(sub -> sub.isCorrelated() && sub.keyStage() >= 0 && !there.isChosen(sub))
                    .flatMap(sub -> plan.block(sub.keyStage()).subQueries().stream())
                    .map(SubQuery::block)
                    .collect(Collectors.toSet());
            fewer = there.chosen.keySet().removeAll(telling);
        }
    }

    /** Returns the rows per table that its conditions leave, without conditions that wait for sub-queries. */
    private List<Long> counts(QueryBlock queryBlock) {
        TableName any =
                placement.orElseThrow().name(queryBlock.source().tables().get(0));
        Map<Integer, TableName> waiting = new TreeMap<>();
        queryBlock.subQueries().stream()
                .filter(sub -> !answers.containsKey(sub.block()))
                .forEach(sub -> waiting.put(sub.block(), any));
        return runs.apply(
                        query.withStage(new QueryStage(queryBlock.number(), false, false, Set.of(), waiting), answers))
                .counts();
    }

    private void answer(QueryBlock queryBlock, String what, boolean scalar) {
        if (!answers.containsKey(queryBlock.number())) {
            answerInputs(queryBlock, true, false);
            storeAnswer(queryBlock, false, what, scalar);
        }
    }

    /** Runs a sub-query that depends on rows of a block, whose other inputs are available. */
    private void answerCorrelated(QueryBlock outer, SubQuery sub, boolean outerReduced) {
        QueryBlock queryBlock = plan.block(sub.block());
        if (answers.containsKey(queryBlock.number())) {
            return;
        }
        // The outer expression that is compared may itself contain such a sub-query.
        for (SqlNode outside : sub.outerExpressions()) {
            sub.outerScope().subQueries(outside).stream()
                    .filter(needed ->
                            needed.isCorrelated() && !colocatedSubQueries(outer).isChosen(needed))
                    .forEach(needed -> answerCorrelated(outer, needed, outerReduced));
        }
        answerInputs(queryBlock, false, false);
        boolean reduced = sub.keyStage() >= 0
                && plan.block(sub.keyStage()).subQueries().stream()
                        .allMatch(needed -> answers.containsKey(needed.block()))
                && paysToReduce(outer, sub, queryBlock, outerReduced)
                && answerKeys(sub, outerReduced);
        answerInputs(queryBlock, true, reduced);
        storeAnswer(queryBlock, reduced, "sub-query", false);
    }

    /** True if it is cheaper to collect the needed keys first: their rows are not more than those of the sub-query. */
    private boolean paysToReduce(QueryBlock outer, SubQuery sub, QueryBlock queryBlock, boolean outerReduced) {
        long inside = estimateRows(queryBlock);
        if (inside < REDUCED_ROWS_MIN) {
            return false;
        }
        BitSet items = new BitSet();
        sub.equalities().forEach(one -> items.or(sub.outerScope().items(one.outerExpression())));
        StageExecutor keys = run(plan.block(sub.keyStage()), outerReduced);
        long outside = 0;
        for (int item : items.stream().toArray()) {
            PackedRows given = item < QueryBlock.ANSWERS_FROM
                    ? null
                    : answers.get(outer.source().item(item).block());
            outside = Math.max(outside, given == null ? keys.count(item) : given.count());
        }
        return outside <= inside;
    }

    /** Returns an upper bound of the rows that the block reads of a table; unknown while conditions wait for correlated sub-queries. */
    private long estimateRows(QueryBlock queryBlock) {
        if (queryBlock.subQueries().stream().anyMatch(SubQuery::isCorrelated)) {
            return Long.MAX_VALUE;
        }
        long most = 0;
        StageExecutor run = run(queryBlock, false);
        for (int item = 0; item < queryBlock.source().tables().size(); item++) {
            most = Math.max(most, run.count(item));
        }
        return most;
    }

    /** Collects the values of the rows that need a sub-query. Returns false if they are too many to be sent. */
    private boolean answerKeys(SubQuery sub, boolean outerReduced) {
        QueryBlock queryBlock = plan.block(sub.keyStage());
        try {
            storeAnswer(queryBlock, outerReduced, "rows that want the sub-query", false);
            return true;
        } catch (UniserveException e) {
            if (e.code() == ErrorCode.TOO_LARGE) {
                return false;
            }
            throw e;
        }
    }

    private void storeAnswer(QueryBlock queryBlock, boolean reduced, String what, boolean scalar) {
        String place = SqlErrorFactory.position(queryBlock.place());
        SqlRows rows =
                rows(queryBlock, reduced, () -> Optional.of(what + " q" + queryBlock.number() + ", " + place.strip()));
        if (scalar && rows.count() > 1) {
            throw SqlErrorFactory.invalid(
                    queryBlock.place(), "the sub-query has " + rows.count() + " rows where one value is wanted");
        }
        if (stage(queryBlock, reduced).fragment().coversAllRows()) {
            BroadcastSize.checkWholeAnswer(
                    place, queryBlock.source().tables().get(0).table(), rows.count());
        }
        PackedRows packed = PackedRows.of(rows);
        BroadcastSize.of(answers.values()).checkAnswer(place, packed);
        answers.put(queryBlock.number(), packed);
    }
}
