package io.uniserve.model.time;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** Parser of the times of rows: milliseconds since 1970, or a text of ISO-8601. */
public final class RowTime {
    private static final int TEXT_CHARS_MAX = 64;
    private static final int DATE_CHARS = 10;

    private RowTime() {}

    /**
     * The time of a row's column in milliseconds since 1970. A date alone is midnight in UTC; digits below a millisecond are cut off.
     *
     * @param column name of the column, for the message
     * @param value a Long of milliseconds, or a text such as {@code 2024-05-01T10:00:00Z} or {@code 2024-05-01}
     * @throws UniserveException INVALID_ROW that names the column, for any other value
     */
    public static long parse(String column, @Nullable Object value) {
        if (value instanceof Long millis) {
            return millis;
        }
        if (value instanceof String text) {
            return parse(column, text);
        }
        throw new UniserveException(
                ErrorCode.INVALID_ROW,
                "time column \"" + column + "\" "
                        + (value == null
                                ? "is missing"
                                : "is a " + value.getClass().getSimpleName())
                        + "; it must have milliseconds since 1970 or a text such as 2024-05-01T10:00:00Z");
    }

    private static long parse(String column, String text) {
        try {
            if (text.length() > TEXT_CHARS_MAX) {
                throw new DateTimeException("too long");
            }
            if (text.length() == DATE_CHARS) {
                return LocalDate.parse(text)
                        .atStartOfDay(ZoneOffset.UTC)
                        .toInstant()
                        .toEpochMilli();
            }
            return OffsetDateTime.parse(text).toInstant().toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    "time column \"" + column + "\" has \"" + PrintableText.line(text)
                            + "\", which is no time: use a text with an offset, such as 2024-05-01T10:00:00Z, a date, or"
                            + " milliseconds since 1970",
                    e);
        }
    }
}
