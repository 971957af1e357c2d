package io.uniserve.sql.execute;

import io.uniserve.api.plan.PlanContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.engine.MergingEngine;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.plan.CardinalityCache;
import io.uniserve.sql.plan.FragmentedPlan;
import io.uniserve.sql.plan.FragmentedPlan.Side;
import io.uniserve.sql.plan.JoinKeyPartitioningSelector;
import io.uniserve.sql.plan.LateMaterialization;
import io.uniserve.sql.plan.QueryBlock;
import io.uniserve.sql.plan.ShuffleJoinOrder;
import io.uniserve.sql.plan.ShuffleQuery;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.plan.SqlQuery.Step;
import io.uniserve.sql.rows.BroadcastSize;
import io.uniserve.sql.rows.PackedRows;
import io.uniserve.sql.rows.SqlRows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Execution of one stage of a query, in rounds of calls to actors. */
final class StageExecutor {
    private final StageCallRunner actorCalls;
    private final MergingEngine engine;
    private final Optional<SqlShuffleOperators.Calls> shuffle;
    private final CardinalityCache cardinalities;
    private final PlanContext context;
    private SqlQuery query;
    private FragmentedPlan plan;
    /** Joins of the shuffled tables, the stationary one included, if there are any. */
    private Optional<List<ShuffleQuery.Link>> shuffleLinks = Optional.empty();
    /** Tables that are too large to be sent, with the error that says so. */
    private final Map<Integer, UniserveException> tooLargeItems = new TreeMap<>();

    private Optional<ShuffleJoinOrder> chain = Optional.empty();
    /** Columns of other tables that equal the key of the stationary table, by their tables' places in FROM. */
    private Map<Integer, String> keyColumns = Map.of();
    /** False after rows changed during the read. */
    private boolean lateAllowed = true;

    private final ColocatedReadPlanner colocatedReads;
    private final TableRowCounter rowCounter;

    StageExecutor(
            StageCallRunner actorCalls,
            MergingEngine engine,
            Optional<SqlShuffleOperators.Calls> shuffle,
            CardinalityCache known,
            SqlQuery query) {
        this.actorCalls = actorCalls;
        this.engine = engine;
        this.shuffle = shuffle;
        this.cardinalities = known;
        this.context = actorCalls.context();
        this.colocatedReads = new ColocatedReadPlanner(actorCalls, known);
        this.rowCounter = new TableRowCounter(actorCalls, known);
        this.query = query;
        this.plan = query.fragment();
    }

    /** Calls the actors in as many rounds as needed, and merges their answers. */
    SqlRows run() {
        boolean alone = plan.sides().size() == 1 && plan.sides().get(0).mayBeStationary();
        if (alone) {
            colocatedReads.addSubQueryStep(query, plan.sides().get(0));
        }
        SqlQuery last = alone ? query.withStep(Step.PARTIAL, -1, 0, Map.of()) : chooseJoin();
        if (plan.lateColumns().isEmpty()) {
            return merge(last);
        }
        if (shuffleLinks.isPresent()) {
            return merge(restartWithoutLateColumns("tables are cut: once more, with all columns at once"));
        }
        SqlRows rows = merge(last);
        if (rows.isNotColocated() || plan.lateColumns().isEmpty()) {
            return rows; // the stage was joined again
        }
        Optional<SqlRows> all = fetchLateColumns(rows, last);
        return all.isPresent() ? all.get() : merge(restartWithoutLateColumns("once more, with all columns at once"));
    }

    /** Joins again, without late columns. */
    private SqlQuery restartWithoutLateColumns(String why) {
        actorCalls.addStep(why, "");
        lateAllowed = false;
        return restart();
    }

    private SqlQuery restart() {
        shuffleLinks = Optional.empty();
        tooLargeItems.clear();
        query = query.withLateColumns(false).withLookups(Set.of());
        plan = query.fragment();
        return chooseJoin();
    }

    /** Joins again if some actors were not co-located, and disables co-located joins of these tables for a while. */
    private SqlRows joinWithoutColocation(SqlQuery step, Side stays) {
        colocatedReads.recordNotColocated(step, stays);
        String what = "not all of "
                + colocatedReads.tablesOf(step, stays).stream()
                        .map(TableMeta::name)
                        .toList() + " is where " + stays.table()
                + " is: once more, ";
        if (!colocatedReads.tablesOfSubQueries(step, stays).isEmpty()) {
            actorCalls.addStep(what + "with the sub-queries before it", "");
            return SqlRows.NOT_COLOCATED;
        }
        colocatedReads.disableColocatedJoins();
        return partialRows(restartWithoutLateColumns(what + "sent"));
    }

    private SqlRows merge(SqlQuery last) {
        SqlRows parts = partialRows(last);
        if (parts.isNotColocated()) {
            return parts;
        }
        SqlRows rows = engine.answer(
                relations(plan.mergeStatement(), Map.of(StatementNaming.PARTS, parts)), plan.mergeStatement(), context);
        actorCalls.addStep(
                "finish: " + StageCallRunner.formatRowCount(rows.count()) + actorCalls.localServer(),
                plan.mergeStatement());
        return rows;
    }

    /** True for engines that shuffle: they accept groups of groups, and a column twice. MonetDBLite confuses the names of both. */
    private boolean mayNestGroups() {
        return shuffle.isPresent();
    }

    /** Fetches late columns for the few rows of the answer; empty if these rows changed. */
    private Optional<SqlRows> fetchLateColumns(SqlRows finished, SqlQuery last) {
        SqlRows rows = finished;
        for (FragmentedPlan.LateColumns one : plan.lateColumns()) {
            PackedRows keys = PackedRows.of(new SqlRows(List.of(rows.columns().get(one.key()))));
            SqlRows fetched =
                    retrieve(query.withStep(Step.LATE, last.stationaryItem(), one.item(), Map.of(one.item(), keys)));
            actorCalls.addStep(
                    "late columns at " + actors(one.item()) + ": " + StageCallRunner.formatRowCount(fetched.count()),
                    one.statement());
            Optional<SqlRows> before =
                    Optional.ofNullable(last.sides().get(one.item())).map(PackedRows::unpack);
            Optional<SqlRows> filled = LateRowFetcher.fill(rows, one, before, fetched);
            if (filled.isEmpty()) {
                Side side = plan.sides().get(one.item());
                if (before.isEmpty()) {
                    cardinalities.recordMissing(actorCalls.meta(side), context.nanoTime());
                }
                actorCalls.addStep(
                        before.isEmpty() ? side.table() + " has no row for a key" : "rows changed between the steps",
                        "");
                return Optional.empty();
            }
            if (before.isEmpty()) {
                cardinalities.recordPresent(actorCalls.meta(plan.sides().get(one.item())));
            }
            rows = filled.get();
        }
        return Optional.of(new SqlRows(rows.columns().subList(0, plan.names().size())));
    }

    private boolean mayFetchLate(int stays) {
        return mayNestGroups() && lateAllowed && stays >= 0 && query.stage().number() == QueryBlock.MAIN;
    }

    /** Chooses late columns if they save more than their extra round costs. */
    private SqlQuery chooseLateColumns(int stays, List<Long> counts) {
        SqlQuery late = query.withLateColumns(mayFetchLate(stays));
        List<FragmentedPlan.LateColumns> columns = late.withStep(Step.PARTIAL, stays, Math.max(0, stays), Map.of())
                .fragment()
                .lateColumns();
        // A table with versions is read once, at one of them. For a table that is not sent there is no earlier read to
        // compare with.
        return columns.stream()
                        .filter(one -> !query.stage().after().contains(one.item()))
                        .anyMatch(one -> counts.get(one.item()) < LateMaterialization.TABLE_ROWS_MIN
                                || colocatedReads.joined().containsKey(one.item())
                                || actorCalls.meta(plan.sides().get(one.item())).level() != ConsistencyLevel.EVENTUAL)
                ? query.withLateColumns(false)
                : late;
    }

    private SqlRows partialRows(SqlQuery last) {
        if (shuffleLinks.isPresent()) {
            return runShuffle(shuffleLinks.get(), last);
        }
        return plan.stationaryItem() == FragmentedPlan.NO_STATIONARY_ITEM
                ? partialRowsHere(last)
                : partialRowsOfActors(last);
    }

    private SqlRows partialRowsOfActors(SqlQuery last) {
        Side side = plan.sides().get(last.item());
        Optional<FragmentedPlan.Top> top = plan.top()
                .filter(found -> mayNestGroups())
                .filter(found -> actorCalls.actors(side).size() == 1
                        || actorCalls.hasWholeKeys(side)
                                && found.columns()
                                        .contains(actorCalls.meta(side).keyField()));
        SqlQuery step = top.isPresent()
                ? query.withStep(Step.TOP, last.stationaryItem(), last.item(), last.sides(), last.colocatedTables())
                : last;
        SqlRows parts = retrieve(step);
        if (parts.isNotColocated()) {
            return joinWithoutColocation(step, side);
        }
        colocatedReads.recordColocated(step, side);
        actorCalls.addStep(
                (top.isPresent() ? "groups" : "partial") + " at " + actors(last.item()) + ": "
                        + StageCallRunner.formatRowCount(parts.count()),
                top.map(FragmentedPlan.Top::statement).orElse(query.partialStatement(plan)));
        return parts;
    }

    /** Merges if no table stays: all wanted rows of each were sent here. */
    private SqlRows partialRowsHere(SqlQuery last) {
        Map<String, SqlRows> sides = new TreeMap<>();
        last.sides().forEach((item, rows) -> sides.put(StatementNaming.side(item), rows.unpack()));
        SqlRows parts = engine.answer(relations(plan.partialStatement(), sides), plan.partialStatement(), context);
        actorCalls.addStep(
                "joined in one place: " + StageCallRunner.formatRowCount(parts.count()) + actorCalls.localServer(),
                plan.partialStatement());
        return parts;
    }

    /** Returns these relations, and the answers of other stages that a statement reads. */
    private Map<String, SqlRows> relations(String statement, Map<String, SqlRows> own) {
        Map<String, SqlRows> all = new TreeMap<>(own);
        query.answers().forEach((number, rows) -> {
            if (StatementNaming.reads(statement, number)) {
                all.put(StatementNaming.given(number), rows.unpack());
            }
        });
        return all;
    }

    /** Returns the number of rows that the conditions of this table alone leave, possibly cached. */
    long count(int item) {
        return rowCounter.counts(query, plan.sides(), List.of(item)).get(0);
    }

    /** Returns the number of rows that the conditions of each table alone leave. */
    List<Long> counts() {
        return rowCounter.counts(
                query,
                plan.sides(),
                IntStream.range(0, plan.sides().size()).boxed().toList());
    }

    /** Joins by cached counts. If the join seems too large, counts all tables again. */
    private SqlQuery chooseJoin() {
        try {
            return planJoin();
        } catch (UniserveException e) {
            if (e.code() == ErrorCode.TOO_LARGE && !query.stage().after().isEmpty()) {
                return restartWithoutLateColumns("what is sent is too large: once more, with all tables joined");
            }
            if (e.code() == ErrorCode.TOO_LARGE && !colocatedReads.joined().isEmpty()) {
                colocatedReads.disableColocatedJoins();
                actorCalls.addStep(
                        "what is sent is too large where "
                                + colocatedReads.joined().values() + " makes nothing smaller: once more, sent",
                        "");
                return restart();
            }
            if (e.code() != ErrorCode.TOO_LARGE || !rowCounter.usedCachedCount()) {
                throw e;
            }
            rowCounter.ignoreCachedCounts();
            actorCalls.addStep("counted anew: by earlier counts it is too large", "");
            return restart();
        }
    }

    /**
     * Chooses the table with the most wanted rows as the stationary one. Of the others the smaller are collected first, to reduce the
     * larger.
     */
    private SqlQuery planJoin() {
        List<Side> sides = plan.sides();
        List<Long> counts = counts();
        int stays = colocatedReads.hasSubQueries()
                ? colocatedReads.subQueryTable()
                : IntStream.range(0, sides.size())
                        .filter(item -> sides.get(item).mayBeStationary())
                        .boxed()
                        .max(Comparator.comparing(counts::get))
                        .orElse(FragmentedPlan.NO_STATIONARY_ITEM);
        if (mayFetchLate(stays)) {
            query = query.withLookups(LateRowFetcher.lookups(query, stays, counts, actorCalls, cardinalities));
        }
        if (mayNestGroups()) {
            colocatedReads.chooseJoins(query, stays, counts);
        }
        query = chooseLateColumns(stays, counts);
        Set<Integer> after = query.stage().after();
        plan = query.withStep(Step.PARTIAL, stays, Math.max(0, stays), Map.of()).fragment();
        if (stays >= 0 && sides.size() > 1) {
            actorCalls.unsupportedFeatures().checkJoin(plan.partialStatement(), block());
        }
        if (stays >= 0) {
            explainJoin(stays, counts, after);
        }
        keyColumns = stays < 0
                ? Map.of()
                : JoinKeyPartitioningSelector.keyColumns(
                        query.withStep(Step.PARTIAL, stays, stays, Map.of()), actorCalls::meta);
        List<Integer> others = new ArrayList<>(IntStream.range(0, sides.size())
                .filter(item -> item != stays && !colocatedReads.joined().containsKey(item) && !after.contains(item))
                .boxed()
                .sorted(Comparator.comparing(counts::get))
                .toList());
        // Slots cannot check co-located sub-queries, only actors can.
        chain = stays < 0
                        || shuffle.isEmpty()
                        || !context.canShuffle()
                        || !after.isEmpty()
                        || colocatedReads.hasSubQueries()
                ? Optional.empty()
                : Optional.of(new ShuffleJoinOrder(query.withStep(Step.PARTIAL, stays, stays, Map.of()), counts));
        shuffleLinks = chain.flatMap(found -> found.linksByHint(query.text(), others));
        shuffleLinks.ifPresent(links -> others.removeIf(
                item -> links.stream().anyMatch(link -> link.item() == item || link.previousItem() == item)));
        Map<Integer, PackedRows> gathered = new TreeMap<>();
        while (!others.isEmpty()) {
            List<Integer> now = others.stream()
                    .filter(item -> counts.get(item) <= BroadcastSize.reducedRowsMin()
                            || others.subList(0, others.indexOf(item)).stream()
                                    .noneMatch(earlier -> isReducedBy(earlier, item)))
                    .toList();
            List<Integer> wave = BroadcastSize.takeWithinLimit(now, counts);
            others.removeAll(wave);
            gather(stays, wave, counts, gathered);
        }
        shuffleTooLarge(gathered);
        // Rows of a shuffled table are not sent along, so a single actor cannot run this step.
        return shuffleLinks.isPresent()
                ? query.withArrivedRows(stays, gathered)
                : query.withStep(Step.PARTIAL, stays, Math.max(0, stays), gathered, colocatedReads.joined());
    }

    private void explainJoin(int stays, List<Long> counts, Set<Integer> after) {
        actorCalls.addStep(
                "in place: " + StageCallRunner.tableLabel(plan.sides().get(stays)) + ", about "
                        + StageCallRunner.formatRowCount(counts.get(stays)),
                "");
        colocatedReads.addJoinStep(plan.sides(), counts);
        colocatedReads.addSubQueryStep(query, plan.sides().get(stays));
        after.forEach(item -> actorCalls.addStep(
                "after the groups: " + StageCallRunner.tableLabel(plan.sides().get(item)), ""));
    }

    /** Shuffles the tables that are too large to be sent. If that is not possible, the query fails with the error of the first. */
    private void shuffleTooLarge(Map<Integer, PackedRows> gathered) {
        if (tooLargeItems.isEmpty()) {
            return;
        }
        Set<Integer> all = new TreeSet<>(tooLargeItems.keySet());
        shuffleLinks.ifPresent(links -> links.forEach(link -> all.addAll(List.of(link.item(), link.previousItem()))));
        shuffleLinks =
                colocatedReads.joined().isEmpty() ? chain.flatMap(found -> found.linksFor(all)) : Optional.empty();
        if (shuffleLinks.isEmpty()) {
            throw tooLargeItems.values().iterator().next();
        }
        shuffleLinks.get().forEach(link -> gathered.keySet().removeAll(List.of(link.item(), link.previousItem())));
    }

    private boolean isReducedBy(int one, int item) {
        return plan.sides().get(item).reductions().stream().anyMatch(reduction -> reduction.side() == one);
    }

    /** Shuffles the tables by the join columns, and joins each slot's share at the slot. */
    private SqlRows runShuffle(List<ShuffleQuery.Link> links, SqlQuery last) {
        ShuffledJoinExecutor rounds =
                new ShuffledJoinExecutor(context, shuffle.orElseThrow(), plan.sides(), actorCalls::name);
        ShuffledJoinExecutor.Answer answer = rounds.run(last, links);
        int stages = answer.lines().size();
        answer.lines().subList(0, stages - 1).forEach(line -> actorCalls.addStep(line, ""));
        actorCalls.addStep(answer.lines().get(stages - 1), plan.partialStatement());
        return answer.partialRows();
    }

    /** Collects the wanted rows of these tables in parallel, unless there are too many. */
    private void gather(int stays, List<Integer> items, List<Long> counts, Map<Integer, PackedRows> gathered) {
        List<Integer> sent = new ArrayList<>();
        Map<Integer, Map<Integer, PackedRows>> reducing = new HashMap<>();
        for (int item : items) {
            reducing.put(item, reductionsFor(item, counts.get(item), gathered));
            if (!runOrShuffle(
                    item, () -> checkSizeBefore(item, counts.get(item), reductionsOf(reducing, item), gathered))) {
                checkReduced(item, reductionsOf(reducing, item).keySet());
                sent.add(item);
            }
        }
        List<SqlRows> answers;
        try {
            answers = retrieve(sent.stream()
                    .map(item -> query.withStep(Step.SIDE, stays, item, reductionsOf(reducing, item)))
                    .toList());
        } catch (UniserveException e) {
            if (e.code() != ErrorCode.TOO_LARGE || sent.isEmpty()) {
                throw e;
            }
            if (sent.size() == 1) {
                runOrShuffle(sent.get(0), () -> {
                    throw e;
                });
            } else {
                // One by one, to find out which of them is too large.
                sent.forEach(item -> gather(stays, List.of(item), counts, gathered));
            }
            return;
        }
        for (int i = 0; i < sent.size(); i++) {
            int item = sent.get(i);
            SqlRows rows = answers.get(i);
            runOrShuffle(
                    item, () -> storeGathered(item, rows, reductionsOf(reducing, item), counts.get(item), gathered));
        }
    }

    /** Checks a statement that reads rows of other tables: for the engine they are relations, as in a join. */
    private void checkReduced(int item, Set<Integer> reducing) {
        if (!reducing.isEmpty()) {
            actorCalls.unsupportedFeatures().checkJoin(plan.sides().get(item).statement(reducing), block());
        }
    }

    private QueryBlock block() {
        return query.plan().block(query.stage().number());
    }

    private static Map<Integer, PackedRows> reductionsOf(Map<Integer, Map<Integer, PackedRows>> reducing, int item) {
        return Objects.requireNonNull(reducing.get(item));
    }

    /** Runs a step that may be too large. If it is and the table can be shuffled, records that and returns true. */
    private boolean runOrShuffle(int item, Runnable step) {
        try {
            step.run();
            return false;
        } catch (UniserveException e) {
            if (e.code() != ErrorCode.TOO_LARGE
                    || chain.filter(found -> found.hasPartitionColumn(item)).isEmpty()) {
                throw e;
            }
            tooLargeItems.put(item, e);
            return true;
        }
    }

    /** Returns the sides that reduce a table's rows at its actors. A small table is collected whole and reduced here. */
    private Map<Integer, PackedRows> reductionsFor(int item, long count, Map<Integer, PackedRows> gathered) {
        Map<Integer, PackedRows> reducing = new TreeMap<>(gathered);
        reducing.keySet().removeIf(one -> count <= BroadcastSize.reducedRowsMin() || !isReducedBy(one, item));
        return reducing;
    }

    /** Fails by the count alone, before the rows are requested, if all rows would be sent. */
    private void checkSizeBefore(
            int item, long about, Map<Integer, PackedRows> reducing, Map<Integer, PackedRows> gathered) {
        Side side = plan.sides().get(item);
        BroadcastSize before =
                BroadcastSize.of(gathered.values(), query.answers().values());
        if (!side.isFiltered(reducing.keySet())
                && (about > BroadcastSize.wholeRowsMax() || before.rows() + about > BroadcastSize.rowsMax())) {
            long count = rowCounter.countAtActors(query, plan.sides(), item);
            BroadcastSize.checkWhole(side.table(), count);
            before.checkWith(side.table(), count, 0);
        }
    }

    private void storeGathered(
            int item,
            SqlRows collected,
            Map<Integer, PackedRows> reduced,
            long count,
            Map<Integer, PackedRows> gathered) {
        Side side = plan.sides().get(item);
        if (!side.isFiltered(reduced.keySet())) {
            // Each actor returns at most one row above the limit, so these rows may be incomplete, whatever was
            // counted.
            BroadcastSize.checkWhole(side.table(), collected.count());
        } else {
            // The same limit; fewer rows may be sent, because those without a matching key are dropped.
            BroadcastSize.checkCollected(side.table(), collected.count());
        }
        Set<Integer> partners = new TreeSet<>(reduced.keySet());
        SqlRows rows = collected;
        if (collected.count() <= BroadcastSize.reducedRowsMin()) {
            for (FragmentedPlan.Reduction by : side.reductions()) {
                PackedRows other = gathered.get(by.side());
                if (other != null && !reduced.containsKey(by.side())) {
                    SqlRows fewer = rows.semiJoin(by.ownColumn(), other.unpack(), by.otherColumn());
                    if (fewer.count() < rows.count()) {
                        partners.add(by.side());
                        rows = fewer;
                    }
                }
            }
        }
        if (side.conditions().isEmpty() && rows.count() >= count) {
            BroadcastSize.checkWhole(side.table(), rows.count());
        }
        PackedRows packed = packToFit(pack(item, rows), gathered);
        BroadcastSize.of(gathered.values(), query.answers().values())
                .checkWith(side.table(), packed.count(), packed.bytes());
        String by =
                partners.stream().map(other -> plan.sides().get(other).alias()).collect(Collectors.joining(", "));
        actorCalls.addStep(
                (packed.isPartitioned() ? "send by key " : "broadcast ") + StageCallRunner.tableLabel(side) + " from "
                        + actors(item)
                        + ": "
                        + StageCallRunner.formatRowCount(packed.count()) + ", "
                        + String.format(Locale.ROOT, "%,d bytes", packed.bytes())
                        + (side.isFiltered(partners) || rows.count() < count
                                ? " of about " + StageCallRunner.formatRowCount(count)
                                : ", all it has")
                        + (side.conditions().isEmpty() ? "" : " that its conditions leave")
                        + (by.isEmpty() ? "" : ", those with partners in " + by),
                side.statement(reduced.keySet()));
        gathered.put(item, packed);
    }

    /** Partitions many rows by key, if each actor of the stationary table needs only the rows with its own keys. */
    private PackedRows pack(int item, SqlRows rows) {
        String key = keyColumns.get(item);
        int column = key == null ? -1 : plan.sides().get(item).columns().indexOf(key);
        if (column < 0 || rows.count() < JoinKeyPartitioningSelector.ROWS_MIN) {
            return PackedRows.of(rows);
        }
        TableMeta stays = actorCalls.meta(plan.sides().get(plan.stationaryItem()));
        return PackedRows.ofPartitioned(
                rows, column, stays.partitioner(), JoinKeyPartitioningSelector.isInteger(stays));
    }

    /** Compresses the rows if all together would be too large, earlier ones as well. */
    private PackedRows packToFit(PackedRows more, Map<Integer, PackedRows> gathered) {
        if (BroadcastSize.of(gathered.values(), query.answers().values(), List.of(more))
                        .bytes()
                <= BroadcastSize.BYTES_MAX) {
            return more;
        }
        gathered.replaceAll((item, rows) -> rows.deflate());
        return more.deflate();
    }

    private List<SqlRows> retrieve(List<SqlQuery> steps) {
        return actorCalls.retrieve(plan.sides(), steps);
    }

    private SqlRows retrieve(SqlQuery step) {
        Side side = plan.sides().get(step.item());
        List<TableMeta> there = colocatedReads.tablesOf(step, side);
        return there.isEmpty() ? actorCalls.retrieve(side, step) : actorCalls.retrieve(side, there, step);
    }

    /**
     * Makes the actors of this table check sub-queries in place.
     *
     * @param rows approximate row counts of the sub-queries, by stage
     */
    void setSubQueries(int stays, Map<Integer, Long> rows) {
        colocatedReads.setSubQueries(stays, rows);
    }

    /** Adds an EXPLAIN line for a step that is repeated. */
    void addStep(String what) {
        actorCalls.addStep(what, "");
    }

    private String actors(int item) {
        return actorCalls.describeActors(plan.sides().get(item));
    }

    /** Adds a heading for the EXPLAIN lines that follow. */
    void addHeading(String whose) {
        actorCalls.addHeading(whose);
    }
}
