package io.uniserve.sql;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** What is sent to every actor of the table that stays, all sides together. */
record BroadcastSize(long rows, long bytes) {
    /** Bytes that are sent for one query, as they travel; with room for its text in an operator's parameters. */
    static final int BYTES_MAX = Limits.PARAMETER_BYTES_MAX - (1 << 20);

    /** Rows that are sent of a table without a condition that leaves some of them out. */
    static int wholeRowsMax() {
        return scaled(100_000);
    }

    /** Rows that are sent for one query. */
    static int rowsMax() {
        return scaled(1_000_000);
    }

    /** A table of fewer rows is collected whole at once: that takes less time than to wait for others that make it smaller. */
    static int waitingRowsMin() {
        return scaled(5_000);
    }

    /** A sub-query of a table with fewer wanted rows is answered first: that makes what is joined smaller. */
    static int checkedRowsMin() {
        return scaled(1_000);
    }

    /**
     * The part of a number of rows that counts: all. Tests of small tables set it to the scale of these, so that what is
     * sent, cut or refused is what it is of large ones; other tests of the same process do not, so it is read each time.
     * Numbers from which a step more pays are not scaled: {@link StageScheduler#REDUCED_ROWS_MIN}, those of {@link ColocatedJoin},
     * {@link JoinKeyPartitioning} and {@link LateMaterialization}. Nor are bytes.
     */
    private static int scaled(int rows) {
        return (int) Math.ceil(rows * Double.parseDouble(System.getProperty("uniserve.sql.limits-scale", "1")));
    }

    @SafeVarargs
    static BroadcastSize of(Collection<PackedRows>... all) {
        long rows = 0;
        long bytes = 0;
        for (Collection<PackedRows> some : all) {
            for (PackedRows one : some) {
                rows += one.count();
                bytes += one.bytes();
            }
        }
        return new BroadcastSize(rows, bytes);
    }

    /** The answer of a sub-query, which goes wherever it is read. */
    void checkAnswer(String place, PackedRows answer) {
        if (rows + answer.count() > rowsMax() || bytes + answer.bytes() > BYTES_MAX) {
            throw tooLarge(
                    "%sthe sub-query has %,d rows, with those before it %,d rows of %,d bytes; at most %,d rows of"
                            + " %,d bytes are sent on; add conditions, or name fewer columns",
                    place, answer.count(), rows + answer.count(), bytes + answer.bytes(), rowsMax(), BYTES_MAX);
        }
    }

    /** The same of a sub-query over all rows of a table; its actors may have told no more than that it is too large. */
    static void checkWholeAnswer(String place, String table, long count) {
        if (count > wholeRowsMax()) {
            throw tooLarge(
                    "%sthe sub-query has more than %,d rows or groups of all those of table %s; at most so many are"
                            + " sent on without a condition; add one, or an equality with a smaller table that has one",
                    place, wholeRowsMax(), table);
        }
    }

    static void checkWhole(String table, long count) {
        if (count > wholeRowsMax()) {
            throw tooLarge(
                    "the join would send all %,d rows of table %s to every server, at most %,d without a condition"
                            + " on them; add one, or an equality with a smaller table that has one",
                    count, table, wholeRowsMax());
        }
    }

    /** Each actor answers a row more than is allowed, and no more: so many may be a part. */
    static void checkCollected(String table, long count) {
        if (count > rowsMax()) {
            throw tooLarge(
                    "the join wants %,d rows of table %s or more, at most %,d are collected; add conditions",
                    count, table, rowsMax());
        }
    }

    void check(String table, long moreRows, long moreBytes) {
        if (rows + moreRows > rowsMax() || bytes + moreBytes > BYTES_MAX) {
            throw tooLarge(
                    "the join would send %,d rows of table %s to every server, with those of other tables %,d rows"
                            + " of %,d bytes; at most %,d rows of %,d bytes are; add conditions, or name fewer"
                            + " columns",
                    moreRows, table, rows + moreRows, bytes + moreBytes, rowsMax(), BYTES_MAX);
        }
    }

    /** As many of these tables, at least one, as have together no more rows than a query may send. */
    static List<Integer> bounded(List<Integer> items, List<Long> counts) {
        List<Integer> some = new ArrayList<>();
        long rows = 0;
        for (int item : items) {
            rows += counts.get(item);
            if (some.isEmpty() || rows <= rowsMax()) {
                some.add(item);
            }
        }
        return some;
    }

    private static UniserveException tooLarge(String message, Object... values) {
        return new UniserveException(ErrorCode.TOO_LARGE, String.format(Locale.ROOT, message, values));
    }
}
