package io.uniserve.sql;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.SqlQuery.Stage;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.calcite.sql.SqlNode;

/**
 * The stages of one query, one after the other: each reads answers of those before it. A sub-query that depends on the rows of
 * the query around it is asked for those rows only, where that is less: a stage before it tells their values.
 */
final class Stages {
    /** A sub-query of fewer rows is not asked for less. */
    static final int REDUCED_ROWS_MIN = 10_000;

    private final SqlQuery query;
    private final QueryPlan plan;
    private final Function<SqlQuery, SqlRun> runs;
    private final Map<Integer, PackedRows> answers = new TreeMap<>();

    Stages(SqlQuery query, Function<SqlQuery, SqlRun> runs) {
        this.query = query;
        this.plan = query.plan();
        this.runs = runs;
    }

    /** The query's answer. */
    SqlRows rows() {
        Block main = plan.block(Block.MAIN);
        prepare(main, true, false);
        SqlRun run = run(main, false);
        if (!answers.isEmpty()) {
            run.head("the query:");
        }
        return run.rows();
    }

    private SqlRun run(Block block, boolean reduced) {
        return runs.apply(query.with(new Stage(block.number(), reduced), answers));
    }

    /** Answers what a block reads; the sub-queries that depend on its rows only if asked to. */
    private void prepare(Block block, boolean all, boolean reduced) {
        block.rows().given().forEach(item -> answer(plan.block(item.block()), "sub-query", false));
        List<SubQuery> subs = block.subs();
        for (SubQuery sub : subs) {
            if (!sub.correlated() && sub.keys() < 0) {
                answer(plan.block(sub.block()), "sub-query", sub.how() == SubQuery.How.SCALAR);
            }
        }
        for (SubQuery sub : subs) {
            if (all && sub.correlated()) {
                dependent(block, sub, reduced);
            }
        }
    }

    private void answer(Block block, String what, boolean scalar) {
        if (!answers.containsKey(block.number())) {
            prepare(block, true, false);
            keep(block, false, what, scalar);
        }
    }

    /** A sub-query that depends on rows of a block, of which all else that it reads is there. */
    private void dependent(Block outer, SubQuery sub, boolean outerReduced) {
        Block block = plan.block(sub.block());
        if (answers.containsKey(block.number())) {
            return;
        }
        // What the query around it compares with may itself be the answer of such a sub-query.
        for (SqlNode outside : sub.outside()) {
            sub.names().subs(outside).stream()
                    .filter(SubQuery::correlated)
                    .forEach(needed -> dependent(outer, needed, outerReduced));
        }
        prepare(block, false, false);
        boolean reduced = sub.keys() >= 0 && less(outer, sub, block, outerReduced) && keys(sub, outerReduced);
        prepare(block, true, reduced);
        keep(block, reduced, "sub-query", false);
    }

    /** Whether it pays to find out first which rows are wanted: where the rows that want them are no more than those there are. */
    private boolean less(Block outer, SubQuery sub, Block block, boolean outerReduced) {
        long inside = inside(block);
        if (inside < REDUCED_ROWS_MIN) {
            return false;
        }
        BitSet items = new BitSet();
        sub.equal().forEach(one -> items.or(sub.names().items(one.outside())));
        SqlRun keys = run(plan.block(sub.keys()), outerReduced);
        long outside = 0;
        for (int item : items.stream().toArray()) {
            PackedRows given = item < Block.GIVEN
                    ? null
                    : answers.get(outer.rows().item(item).block());
            outside = Math.max(outside, given == null ? keys.count(item) : given.count());
        }
        return outside <= inside;
    }

    /** The most rows that a table of the block may have to show; not known while conditions wait for sub-queries of their own. */
    private long inside(Block block) {
        if (block.subs().stream().anyMatch(SubQuery::correlated)) {
            return Long.MAX_VALUE;
        }
        long most = 0;
        SqlRun run = run(block, false);
        for (int item = 0; item < block.rows().tables().size(); item++) {
            most = Math.max(most, run.count(item));
        }
        return most;
    }

    /** Answers which values the rows have that want a sub-query; false where those are too many to be sent. */
    private boolean keys(SubQuery sub, boolean outerReduced) {
        Block block = plan.block(sub.keys());
        try {
            keep(block, outerReduced, "rows that want the sub-query", false);
            return true;
        } catch (UniserveException e) {
            if (e.code() == ErrorCode.TOO_LARGE) {
                return false;
            }
            throw e;
        }
    }

    private void keep(Block block, boolean reduced, String what, boolean scalar) {
        SqlRun run = run(block, reduced);
        run.head(what + " q" + block.number() + ", "
                + SqlErrors.place(block.place()).strip());
        SqlRows rows = run.rows();
        if (scalar && rows.count() > 1) {
            throw SqlErrors.invalid(
                    block.place(), "the sub-query has " + rows.count() + " rows where one value is wanted");
        }
        String place = SqlErrors.place(block.place());
        if (query.with(new Stage(block.number(), reduced), answers).split().whole()) {
            Broadcast.checkWholeAnswer(place, block.rows().tables().get(0).table(), rows.count());
        }
        PackedRows packed = PackedRows.of(rows);
        Broadcast.of(answers.values()).checkAnswer(place, packed);
        answers.put(block.number(), packed);
    }
}
