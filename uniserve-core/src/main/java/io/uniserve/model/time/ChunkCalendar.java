package io.uniserve.model.time;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.TemporalAdjusters;
import org.jspecify.annotations.Nullable;

/**
 * Division of the years 0 to 9999 into chunks of one period. Chunk {@code n} starts {@code n} periods after the start of year 0, so its
 * ordinal is a pure function of a time. Immutable for callers and thread-safe; two calendars of equal period and zone are equal.
 *
 * <p>Periods with days, weeks, months or years follow the zone's calendar: their chunks start at the start of a day, and their lengths
 * differ. Whole weeks start on Mondays. Periods of hours, minutes and seconds have equal lengths, and start at a full hour of the offset
 * that the zone had in 1970 without daylight saving. All processes of a cluster need the same time zone rules.
 *
 * <pre>{@code
 * ChunkCalendar days = new ChunkCalendar(IsoPeriod.parse("chunk", "P1D"), ZoneId.of("Europe/Rome"));
 * int ordinal = days.ordinalOf(1_711_843_200_000L);
 * days.end(ordinal) - days.start(ordinal); // 23 hours: daylight saving starts on this day
 * }</pre>
 */
public final class ChunkCalendar {
    private static final LocalDate ORIGIN = LocalDate.of(0, 1, 1);
    private static final LocalDate END = LocalDate.of(10_000, 1, 1);

    private final IsoPeriod period;
    private final ZoneId zone;
    private final ZoneId calendarZone;
    private final LocalDate origin;
    private final long averageMillis;
    private final long originMillis;
    private final long minMillis;
    private final long endMillis;
    private volatile Interval last;

    /** Chunk with its bounds; the end is exclusive. */
    private record Interval(int ordinal, long start, long end) {}

    /**
     * Divides time into chunks.
     *
     * @param period length of a chunk, at least one second
     * @param zone zone whose calendar periods of days and longer follow
     * @throws UniserveException INVALID_ARGUMENT if the period is too short
     */
    public ChunkCalendar(IsoPeriod period, ZoneId zone) {
        if (period.averageMillis() < 1_000) {
            throw UniserveException.invalid("chunk " + period + " is shorter than a second: use a longer period");
        }
        this.period = period;
        this.zone = zone;
        this.calendarZone = period.hasDate() ? zone : zone.getRules().getStandardOffset(Instant.EPOCH);
        boolean weeks = period.hasDate()
                && period.date().toTotalMonths() == 0
                && period.date().getDays() % 7 == 0
                && period.time().isZero();
        this.origin = weeks ? ORIGIN.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)) : ORIGIN;
        this.averageMillis = period.averageMillis();
        this.originMillis = millis(origin);
        this.minMillis = millis(ORIGIN);
        this.endMillis = millis(END);
        if (lastOrdinal() > Integer.MAX_VALUE - 1L) {
            throw UniserveException.invalid("chunk " + period + " divides the years 0 to 9999 into more than "
                    + Integer.MAX_VALUE + " chunks: use a longer period");
        }
        this.last = interval(ordinal(0));
    }

    /**
     * Parses a zone, e.g. {@code UTC}, {@code +02:00} or {@code Europe/Rome}.
     *
     * @throws UniserveException INVALID_ARGUMENT for a zone that this Java version does not have
     */
    public static ZoneId parseZone(String text) {
        try {
            return ZoneId.of(text);
        } catch (DateTimeException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    "zone \"" + text
                            + "\" is unknown: use UTC, an offset such as +02:00, or a region such as Europe/Rome",
                    e);
        }
    }

    /** Length of a chunk. */
    public IsoPeriod period() {
        return period;
    }

    /** The zone whose calendar the chunks follow. */
    public ZoneId zone() {
        return zone;
    }

    /** Number of chunks that cover the years 0 to 9999. */
    public long chunks() {
        return lastOrdinal() + 1;
    }

    /** Returns whether the time is in one of the years 0 to 9999 of the zone. */
    public boolean covers(long millis) {
        return millis >= minMillis && millis < endMillis;
    }

    /**
     * Ordinal of the chunk that contains the time, in milliseconds since 1970.
     *
     * @throws UniserveException INVALID_ROW for a time before year 0 or after year 9999
     */
    public int ordinalOf(long millis) {
        Interval known = last;
        if (millis >= known.start && millis < known.end) {
            return known.ordinal;
        }
        if (!covers(millis)) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    "time " + millis + " ms since 1970 is not in the years 0 to 9999: correct it");
        }
        Interval found = interval(ordinal(millis));
        last = found;
        return found.ordinal;
    }

    /** Start of a chunk, inclusive, in milliseconds since 1970; any ordinal from 0 on. */
    public long start(int ordinal) {
        return startOf(ordinal);
    }

    /** End of a chunk, exclusive, which is the start of the next one. */
    public long end(int ordinal) {
        return startOf(ordinal + 1L);
    }

    /** Start of a chunk in the form of ISO-8601, in the zone's offset of that time. */
    public String startText(int ordinal) {
        return text(start(ordinal));
    }

    /** A time in the form of ISO-8601, in the zone's offset of that time. */
    public String text(long millis) {
        OffsetDateTime time = Instant.ofEpochMilli(millis).atZone(calendarZone).toOffsetDateTime();
        return time.toString();
    }

    private Interval interval(long ordinal) {
        return new Interval((int) ordinal, startOf(ordinal), startOf(ordinal + 1));
    }

    private long ordinal(long millis) {
        long estimate = Math.max(0, (millis - originMillis) / averageMillis);
        while (estimate > 0 && startOf(estimate) > millis) {
            estimate--;
        }
        while (startOf(estimate + 1) <= millis) {
            estimate++;
        }
        return estimate;
    }

    private long lastOrdinal() {
        return ordinal(endMillis - 1);
    }

    private long startOf(long ordinal) {
        long time = Math.multiplyExact(ordinal, period.time().toMillis());
        if (!period.hasDate()) {
            return originMillis + time;
        }
        LocalDate date = origin.plusMonths(
                        Math.multiplyExact(ordinal, period.date().toTotalMonths()))
                .plusDays(Math.multiplyExact(ordinal, (long) period.date().getDays()));
        return millis(date) + time;
    }

    private long millis(LocalDate date) {
        if (calendarZone instanceof ZoneOffset offset) {
            return date.toEpochSecond(LocalTime.MIN, offset) * 1_000;
        }
        return date.atStartOfDay(calendarZone).toEpochSecond() * 1_000;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ChunkCalendar calendar && period.equals(calendar.period) && zone.equals(calendar.zone);
    }

    @Override
    public int hashCode() {
        return 31 * period.hashCode() + zone.hashCode();
    }

    @Override
    public String toString() {
        return period + " in " + zone;
    }
}
