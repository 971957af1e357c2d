package io.uniserve.sql.rows;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Size of the data that a query broadcasts to every actor of the stationary table, over all sides. */
public record BroadcastSize(long rows, long bytes) {
    /** Maximum bytes that one query broadcasts, as encoded. It leaves room for the query's text in an operator's parameters. */
    public static final int BYTES_MAX = Limits.PARAMETER_BYTES_MAX - (1 << 20);

    /** Maximum rows that are broadcast of a table without a selective condition. */
    public static int wholeRowsMax() {
        return scale(100_000);
    }

    /** Maximum rows that are broadcast for one query. */
    public static int rowsMax() {
        return scale(1_000_000);
    }

    /** Below this number of rows a table is collected whole at once. That takes less time than waiting for others that reduce it. */
    public static int reducedRowsMin() {
        return scale(5_000);
    }

    /** Below this number of wanted rows a sub-query is answered first, which reduces the joined tables. */
    public static int checkedRowsMin() {
        return scale(1_000);
    }

    /**
     * Applies the scale of the limits, which is 1 in production. Tests with small tables set it, so that decisions about broadcasts,
     * shuffles and refusals are those of large tables. Other tests of the same process use scale 1, so the property is read each time.
     * Thresholds for an extra step are not scaled: {@code StageScheduler.REDUCED_ROWS_MIN}, those of {@code ColocatedJoinSelector}, {@code
     * JoinKeyPartitioning} and {@code LateMaterialization}. Byte limits are not scaled either.
     */
    private static int scale(int rows) {
        return (int) Math.ceil(rows * Double.parseDouble(System.getProperty("uniserve.sql.limits-scale", "1")));
    }

    @SafeVarargs
    public static BroadcastSize of(Collection<PackedRows>... all) {
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

    /**
     * Fails with TOO_LARGE if a sub-query's answer exceeds the limits together with the answers before it. The answer is sent to every
     * stage that reads it.
     */
    public void checkAnswer(String place, PackedRows answer) {
        if (rows + answer.count() > rowsMax() || bytes + answer.bytes() > BYTES_MAX) {
            throw tooLarge(
                    "%sthe sub-query has %,d rows, with those before it %,d rows of %,d bytes; at most %,d rows of"
                            + " %,d bytes are sent on; add conditions, or name fewer columns",
                    place, answer.count(), rows + answer.count(), bytes + answer.bytes(), rowsMax(), BYTES_MAX);
        }
    }

    /** Fails with TOO_LARGE for a sub-query over all rows of a table. Its actors may have reported only that it is too large. */
    public static void checkWholeAnswer(String place, String table, long count) {
        if (count > wholeRowsMax()) {
            throw tooLarge(
                    "%sthe sub-query has more than %,d rows or groups of all those of table %s; at most so many are"
                            + " sent on without a condition; add one, or an equality with a smaller table that has one",
                    place, wholeRowsMax(), table);
        }
    }

    public static void checkWhole(String table, long count) {
        if (count > wholeRowsMax()) {
            throw tooLarge(
                    "the join would send all %,d rows of table %s to every server, at most %,d without a condition"
                            + " on them; add one, or an equality with a smaller table that has one",
                    count, table, wholeRowsMax());
        }
    }

    /**
     * Fails with TOO_LARGE if the actors returned more rows than allowed. Each actor returns at most one row above the limit, so such an
     * answer may be incomplete.
     */
    public static void checkCollected(String table, long count) {
        if (count > rowsMax()) {
            throw tooLarge(
                    "the join wants %,d rows of table %s or more, at most %,d are collected; add conditions",
                    count, table, rowsMax());
        }
    }

    public void checkWith(String table, long moreRows, long moreBytes) {
        if (rows + moreRows > rowsMax() || bytes + moreBytes > BYTES_MAX) {
            throw tooLarge(
                    "the join would send %,d rows of table %s to every server, with those of other tables %,d rows"
                            + " of %,d bytes; at most %,d rows of %,d bytes are; add conditions, or name fewer"
                            + " columns",
                    moreRows, table, rows + moreRows, bytes + moreBytes, rowsMax(), BYTES_MAX);
        }
    }

    /** Returns a prefix of these tables that together fit into the row limit; at least one. */
    public static List<Integer> takeWithinLimit(List<Integer> items, List<Long> counts) {
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
