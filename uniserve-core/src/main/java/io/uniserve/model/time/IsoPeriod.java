package io.uniserve.model.time;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.Period;
import java.time.ZoneId;
import java.util.Locale;

/**
 * Period of ISO-8601: years, months, weeks and days, which follow a calendar, and hours, minutes and seconds, which have equal lengths.
 * Immutable, never negative, whole milliseconds.
 *
 * <pre>{@code
 * IsoPeriod.parse("retention", "P90D");
 * IsoPeriod.parse("chunk", "P1DT12H");
 * }</pre>
 *
 * @param date the part that follows the calendar
 * @param time the part of equal length
 */
public record IsoPeriod(Period date, Duration time) {
    /** Longest text of a period. */
    public static final int TEXT_CHARS_MAX = 64;

    /** Largest number of one unit of the date part, so that no arithmetic overflows. */
    public static final int UNITS_MAX = 10_000_000;

    /** Longest time part: 10 000 years. */
    private static final Duration TIME_MAX = Duration.ofDays(3_652_425);

    /** The period without length. */
    public static final IsoPeriod ZERO = new IsoPeriod(Period.ZERO, Duration.ZERO);

    public IsoPeriod {
        boolean tooLong = Math.abs((long) date.getYears()) > UNITS_MAX
                || Math.abs((long) date.getMonths()) > UNITS_MAX
                || Math.abs((long) date.getDays()) > UNITS_MAX
                || time.compareTo(TIME_MAX) > 0;
        if (tooLong) {
            throw UniserveException.invalid("period has more than " + UNITS_MAX
                    + " years, months or days, or more than 10000 years of hours: use a shorter one");
        }
        if (date.isNegative() || time.isNegative()) {
            throw UniserveException.invalid("period is negative: use a period such as P1D");
        }
        if (time.getNano() % 1_000_000 != 0) {
            throw UniserveException.invalid("period has a fraction of a millisecond: use whole milliseconds");
        }
        date = date.normalized();
    }

    /**
     * Parses the text of a period, e.g. {@code P1D}, {@code PT1H}, {@code P1W}, {@code P1Y6M} or {@code P1DT12H}.
     *
     * @param field name of the parameter, for the message
     * @throws UniserveException INVALID_ARGUMENT that names the field, if the text is no period
     */
    public static IsoPeriod parse(String field, String text) {
        if (text.length() > TEXT_CHARS_MAX) {
            throw UniserveException.invalid(
                    field + " has " + text.length() + " characters: a period has at most " + TEXT_CHARS_MAX);
        }
        String upper = text.strip().toUpperCase(Locale.ROOT);
        int at = upper.indexOf('T');
        try {
            Period date = at == 1 ? Period.ZERO : Period.parse(at < 0 ? upper : upper.substring(0, at));
            Duration time = at < 0 ? Duration.ZERO : Duration.parse("P" + upper.substring(at));
            return new IsoPeriod(date, time);
        } catch (DateTimeException | ArithmeticException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    field + " \"" + PrintableText.line(text)
                            + "\" is no period of ISO-8601: use one such as PT1H, P1D, P1W or P1M",
                    e);
        } catch (UniserveException e) {
            throw UniserveException.invalid(field + ": " + e.reason());
        }
    }

    /** True if the period has no length. */
    public boolean isZero() {
        return date.isZero() && time.isZero();
    }

    /** True if the period has years, months, weeks or days. */
    public boolean hasDate() {
        return !date.isZero();
    }

    /** The period's average length in milliseconds: a year has 365.2425 days. */
    public long averageMillis() {
        long months = date.toTotalMonths();
        return months * 2_629_746_000L + date.getDays() * 86_400_000L + time.toMillis();
    }

    /** Returns the time after the period, in milliseconds since 1970: the date part in the zone's calendar first, the time part then. */
    public long addTo(long millis, ZoneId zone) {
        long moved = date.isZero()
                ? millis
                : Instant.ofEpochMilli(millis)
                        .atZone(zone)
                        .plus(date)
                        .toInstant()
                        .toEpochMilli();
        return moved + time.toMillis();
    }

    /** The period in the form of ISO-8601. */
    @Override
    public String toString() {
        if (time.isZero()) {
            return date.isZero() ? "PT0S" : date.toString();
        }
        return date.isZero() ? time.toString() : date + time.toString().substring(1);
    }
}
