package io.uniserve.sql;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.sql.SplitQuery.Side;
import io.uniserve.sql.SqlQuery.Step;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One query's rounds, and what is to be told of them. */
final class SqlRun {
    private final RetrieveCall<SqlQuery, SqlRows> call;
    private final SqlPlanner.Merging engine;
    private final PlanContext context;
    private final Map<String, TableMeta> metas;
    private final SqlQuery query;
    private final List<String> told = new ArrayList<>();
    private SplitQuery split;
    private long since;

    SqlRun(
            RetrieveCall<SqlQuery, SqlRows> call,
            SqlPlanner.Merging engine,
            PlanContext context,
            Map<String, TableMeta> metas,
            SqlQuery query) {
        this.call = call;
        this.engine = engine;
        this.context = context;
        this.metas = metas;
        this.query = query;
        this.split = query.split();
        this.since = context.remainingNanos();
    }

    List<String> names() {
        return split.names();
    }

    /** Asks the actors, in as many rounds as it takes, and merges. */
    SqlRows rows() {
        SqlQuery last = split.sides().size() == 1 ? query.with(Step.PARTIAL, -1, 0, Map.of()) : joined();
        SqlRows parts = ask(last);
        Side stays = split.sides().get(last.item());
        tell("partial at " + actors(stays) + ": " + rows(parts.rows().size()), split.partial());
        SqlRows rows = engine.answer(parts, split.finish(), context.remainingNanos());
        tell("finish: " + rows(rows.rows().size()), split.finish());
        return rows;
    }

    /** The table with the most rows that are wanted stays; of the others the smaller ones go first and make the larger ones smaller. */
    private SqlQuery joined() {
        List<Side> sides = split.sides();
        List<Long> counts = new ArrayList<>();
        for (int item = 0; item < sides.size(); item++) {
            SqlRows count = ask(query.with(Step.COUNT, -1, item, Map.of()));
            counts.add(count.rows().stream()
                    .mapToLong(row -> Long.parseLong(String.valueOf(row.get(0))))
                    .sum());
        }
        int stays = IntStream.range(0, sides.size())
                .filter(item -> sides.get(item).mayStay())
                .boxed()
                .max(Comparator.comparing(counts::get))
                .orElseThrow();
        split = query.with(Step.PARTIAL, stays, stays, Map.of()).split();
        tell("in place: " + called(split.sides().get(stays)) + ", " + rows(counts.get(stays)), "");
        Map<Integer, PackedRows> gathered = new TreeMap<>();
        IntStream.range(0, sides.size())
                .filter(item -> item != stays)
                .boxed()
                .sorted(Comparator.comparing(counts::get))
                .forEach(item -> gathered.put(item, gather(stays, item, counts.get(item), gathered)));
        return query.with(Step.PARTIAL, stays, stays, gathered);
    }

    private PackedRows gather(int stays, int item, long count, Map<Integer, PackedRows> gathered) {
        Side side = split.sides().get(item);
        Set<Integer> known = gathered.keySet();
        Broadcast before = Broadcast.of(gathered.values());
        if (!side.filtered(known)) {
            Broadcast.checkWhole(side.table(), count);
            before.check(side.table(), count, 0);
        }
        Map<Integer, PackedRows> reducing = new TreeMap<>(gathered);
        reducing.keySet()
                .retainAll(side.reductions().stream()
                        .map(SplitQuery.Reduction::side)
                        .toList());
        PackedRows rows = PackedRows.of(ask(query.with(Step.SIDE, stays, item, reducing)));
        if (side.conditions().isEmpty() && rows.count() >= count) {
            Broadcast.checkWhole(side.table(), rows.count());
        }
        before.check(side.table(), rows.count(), rows.bytes());
        String by = reducing.keySet().stream()
                .map(other -> split.sides().get(other).alias())
                .collect(Collectors.joining(", "));
        tell(
                "broadcast " + called(side) + " from " + actors(side) + ": " + rows(rows.count()) + ", "
                        + String.format(Locale.ROOT, "%,d bytes", rows.bytes())
                        + (side.filtered(known) ? " of " + rows(count) : ", all it has")
                        + (side.conditions().isEmpty() ? "" : " that its conditions leave")
                        + (by.isEmpty() ? "" : ", those with partners in " + by),
                side.statement(known));
        return rows;
    }

    private SqlRows ask(SqlQuery step) {
        TableName table = name(split.sides().get(step.item()));
        return context.retrieve(table, call, step, SqlRows::concat);
    }

    private TableName name(Side side) {
        return Objects.requireNonNull(metas.get(side.table())).name();
    }

    private static String called(Side side) {
        return side.alias().equals(side.table()) ? side.table() : side.table() + " AS " + side.alias();
    }

    private String actors(Side side) {
        int count = context.actors(name(side)).size();
        return count + (count == 1 ? " actor of " : " actors of ") + side.table();
    }

    private static String rows(long count) {
        return String.format(Locale.ROOT, count == 1 ? "%,d row" : "%,d rows", count);
    }

    private void tell(String what, String statement) {
        long now = context.remainingNanos();
        told.add(String.format(Locale.ROOT, "%s; %.1f ms", what, (since - now) / 1e6));
        if (!statement.isEmpty()) {
            told.add("    " + statement);
        }
        since = now;
    }

    /** The rounds as text: the query was run, and its answer is not shown. */
    Answer explained(SqlRows rows) {
        String text =
                String.join("\n", told) + "\n" + "answer: " + rows(rows.rows().size()) + "\n";
        return new Answer("text/plain", Bytes.utf8(text));
    }

    /** What is sent to every actor of the table that stays, all sides together. */
    record Broadcast(long rows, long bytes) {
        /** Rows that are sent of a table without a condition that leaves some of them out. */
        static final int WHOLE_ROWS_MAX = 100_000;

        /** Rows that are sent for one query. */
        static final int ROWS_MAX = 1_000_000;

        /** Bytes that are sent for one query, as they travel; with room for its text in an operator's parameters. */
        static final int BYTES_MAX = Limits.PARAMETER_BYTES_MAX - (1 << 20);

        static Broadcast of(Iterable<PackedRows> all) {
            long rows = 0;
            long bytes = 0;
            for (PackedRows one : all) {
                rows += one.count();
                bytes += one.bytes();
            }
            return new Broadcast(rows, bytes);
        }

        static void checkWhole(String table, long count) {
            if (count > WHOLE_ROWS_MAX) {
                throw tooLarge(
                        "the join would send all %,d rows of table %s to every server, at most %,d without a condition on"
                                + " them; add one, or an equality with a smaller table that has one",
                        count, table, WHOLE_ROWS_MAX);
            }
        }

        void check(String table, long moreRows, long moreBytes) {
            if (rows + moreRows > ROWS_MAX || bytes + moreBytes > BYTES_MAX) {
                throw tooLarge(
                        "the join would send %,d rows of table %s to every server, with those of other tables %,d rows of"
                                + " %,d bytes; at most %,d rows of %,d bytes are; add conditions, or name fewer columns",
                        moreRows, table, rows + moreRows, bytes + moreBytes, ROWS_MAX, BYTES_MAX);
            }
        }

        private static UniserveException tooLarge(String message, Object... values) {
            return new UniserveException(ErrorCode.TOO_LARGE, String.format(Locale.ROOT, message, values));
        }
    }
}
