package io.uniserve.sql;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.Collection;
import java.util.Locale;

/** What is sent to every actor of the table that stays, all sides together. */
record Broadcast(long rows, long bytes) {
    /** Rows that are sent of a table without a condition that leaves some of them out. */
    static final int WHOLE_ROWS_MAX = 100_000;

    /** Rows that are sent for one query. */
    static final int ROWS_MAX = 1_000_000;

    /** Bytes that are sent for one query, as they travel; with room for its text in an operator's parameters. */
    static final int BYTES_MAX = Limits.PARAMETER_BYTES_MAX - (1 << 20);

    @SafeVarargs
    static Broadcast of(Collection<PackedRows>... all) {
        long rows = 0;
        long bytes = 0;
        for (Collection<PackedRows> some : all) {
            for (PackedRows one : some) {
                rows += one.count();
                bytes += one.bytes();
            }
        }
        return new Broadcast(rows, bytes);
    }

    /** The answer of a sub-query, which goes wherever it is read. */
    void checkAnswer(String place, PackedRows answer) {
        if (rows + answer.count() > ROWS_MAX || bytes + answer.bytes() > BYTES_MAX) {
            throw tooLarge(
                    "%sthe sub-query has %,d rows, with those before it %,d rows of %,d bytes; at most %,d rows of"
                            + " %,d bytes are sent on; add conditions, or name fewer columns",
                    place, answer.count(), rows + answer.count(), bytes + answer.bytes(), ROWS_MAX, BYTES_MAX);
        }
    }

    static void checkWhole(String table, long count) {
        if (count > WHOLE_ROWS_MAX) {
            throw tooLarge(
                    "the join would send all %,d rows of table %s to every server, at most %,d without a condition"
                            + " on them; add one, or an equality with a smaller table that has one",
                    count, table, WHOLE_ROWS_MAX);
        }
    }

    void check(String table, long moreRows, long moreBytes) {
        if (rows + moreRows > ROWS_MAX || bytes + moreBytes > BYTES_MAX) {
            throw tooLarge(
                    "the join would send %,d rows of table %s to every server, with those of other tables %,d rows"
                            + " of %,d bytes; at most %,d rows of %,d bytes are; add conditions, or name fewer"
                            + " columns",
                    moreRows, table, rows + moreRows, bytes + moreBytes, ROWS_MAX, BYTES_MAX);
        }
    }

    private static UniserveException tooLarge(String message, Object... values) {
        return new UniserveException(ErrorCode.TOO_LARGE, String.format(Locale.ROOT, message, values));
    }
}
