package io.uniserve.model.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChunkCalendarTest {
    private static final long YEAR_0 = millis("0000-01-01T00:00:00Z");
    private static final long YEAR_10000 =
            Instant.parse("+10000-01-01T00:00:00Z").toEpochMilli();
    private static final List<String> PERIODS = List.of(
            "PT1S", "PT15M", "PT1H", "PT36H", "P1D", "P3D", "P1W", "P2W", "P1M", "P3M", "P1Y", "P1Y6M", "P1M1D",
            "P1DT12H");
    private static final List<String> ZONES = List.of(
            "UTC", "+05:30", "Europe/Rome", "America/New_York", "Pacific/Apia", "Asia/Kolkata", "Australia/Lord_Howe");

    private static ChunkCalendar calendar(String period, String zone) {
        return new ChunkCalendar(IsoPeriod.parse("chunk", period), ZoneId.of(zone));
    }

    private static long millis(String text) {
        return OffsetDateTime.parse(text).toInstant().toEpochMilli();
    }

    private static String start(ChunkCalendar calendar, String time) {
        return calendar.startText(calendar.ordinalOf(millis(time)));
    }

    @Test
    void everyTimeIsInItsChunk() {
        Random random = new Random(37);
        for (String zone : ZONES) {
            for (String period : PERIODS) {
                ChunkCalendar calendar;
                try {
                    calendar = calendar(period, zone);
                } catch (UniserveException tooMany) {
                    assertThat(period).isEqualTo("PT1S");
                    continue;
                }
                for (int i = 0; i < 200; i++) {
                    long time = i % 2 == 0
                            ? millis("1900-01-01T00:00:00Z") + (long) (random.nextDouble() * 250 * 365 * 86_400_000L)
                            : YEAR_0
                                    + 86_400_000L
                                    + (long) (random.nextDouble() * (YEAR_10000 - YEAR_0 - 172_800_000L));
                    int ordinal = calendar.ordinalOf(time);
                    assertThat(ordinal).isNotNegative();
                    assertThat(calendar.start(ordinal)).isLessThanOrEqualTo(time);
                    assertThat(calendar.end(ordinal)).isGreaterThan(time).isEqualTo(calendar.start(ordinal + 1));
                    assertThat(calendar(period, zone).ordinalOf(calendar.start(ordinal)))
                            .as("%s in %s at %s", period, zone, time)
                            .isEqualTo(ordinal);
                    assertThat(calendar.ordinalOf(calendar.end(ordinal) - 1)).isEqualTo(ordinal);
                }
            }
        }
    }

    @Test
    void daysFollowTheZone() {
        ChunkCalendar rome = calendar("P1D", "Europe/Rome");
        assertThat(start(rome, "2024-03-31T10:00:00Z")).isEqualTo("2024-03-31T00:00+01:00");
        int spring = rome.ordinalOf(millis("2024-03-31T10:00:00Z"));
        assertThat(rome.end(spring) - rome.start(spring))
                .isEqualTo(Duration.ofHours(23).toMillis());
        int autumn = rome.ordinalOf(millis("2024-10-27T10:00:00Z"));
        assertThat(rome.end(autumn) - rome.start(autumn))
                .isEqualTo(Duration.ofHours(25).toMillis());
        assertThat(rome.ordinalOf(millis("2024-05-01T22:00:00Z")))
                .isEqualTo(rome.ordinalOf(millis("2024-05-01T21:59:59.999Z")) + 1);
    }

    @Test
    void aDayThatAZoneSkippedIsEmpty() {
        ChunkCalendar apia = calendar("P1D", "Pacific/Apia");
        int before = apia.ordinalOf(millis("2011-12-29T23:00:00-10:00"));
        int after = apia.ordinalOf(millis("2011-12-31T01:00:00+14:00"));
        assertThat(after).isEqualTo(before + 2);
        assertThat(apia.start(before + 1)).isEqualTo(apia.end(before + 1)).isEqualTo(apia.start(after));
    }

    @Test
    void weeksStartOnMondayAndMonthsOnTheFirst() {
        assertThat(start(calendar("P1W", "UTC"), "2024-02-29T12:00:00Z")).isEqualTo("2024-02-26T00:00Z");
        assertThat(start(calendar("P1W", "UTC"), "0000-01-01T00:00:00Z")).isEqualTo("-0001-12-27T00:00Z");
        assertThat(start(calendar("P1M", "UTC"), "2024-02-29T12:00:00Z")).isEqualTo("2024-02-01T00:00Z");
        assertThat(start(calendar("P3M", "UTC"), "2024-06-30T12:00:00Z")).isEqualTo("2024-04-01T00:00Z");
        assertThat(start(calendar("P1Y", "UTC"), "1969-12-31T23:59:59Z")).isEqualTo("1969-01-01T00:00Z");
        ChunkCalendar months = calendar("P1M", "UTC");
        int february = months.ordinalOf(millis("2024-02-01T00:00:00Z"));
        assertThat(months.end(february) - months.start(february))
                .isEqualTo(Duration.ofDays(29).toMillis());
    }

    @Test
    void hoursStartAtTheZonesFullHours() {
        assertThat(start(calendar("PT1H", "Asia/Kolkata"), "2024-02-29T12:45:00Z"))
                .isEqualTo("2024-02-29T18:00+05:30");
        assertThat(start(calendar("PT6H", "Europe/Rome"), "2024-07-01T12:00:00Z"))
                .isEqualTo("2024-07-01T12:00+01:00");
    }

    @Test
    void onlyTheYears0To9999() {
        ChunkCalendar days = calendar("P1D", "UTC");
        assertThat(days.ordinalOf(YEAR_0)).isZero();
        assertThat(days.ordinalOf(YEAR_10000 - 1)).isEqualTo((int) days.chunks() - 1);
        for (long bad : new long[] {YEAR_0 - 1, YEAR_10000, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> days.ordinalOf(bad))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW));
        }
    }

    @Test
    void badPeriodsAndZones() {
        for (String bad :
                List.of("", "1D", "P", "PT", "P-1D", "PT-1H", "P1X", "PT0.0001S", "P99999999999Y", "P1D".repeat(40))) {
            assertThatThrownBy(() -> IsoPeriod.parse("chunk", bad))
                    .as(bad)
                    .isInstanceOfSatisfying(UniserveException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
                        assertThat(e.reason()).startsWith("chunk");
                    });
        }
        assertThatThrownBy(() -> calendar("PT0S", "UTC")).hasMessageContaining("shorter than a second");
        assertThatThrownBy(() -> calendar("PT1S", "UTC")).hasMessageContaining("longer period");
        assertThatThrownBy(() -> ChunkCalendar.parseZone("Mars/Olympus")).hasMessageContaining("Europe/Rome");
    }

    @Test
    void periodsKeepTheirText() {
        for (String text : List.of("PT1H", "P1D", "P1M", "P1Y6M", "P1DT12H", "PT0S")) {
            assertThat(IsoPeriod.parse("chunk", text)).hasToString(text);
        }
        assertThat(IsoPeriod.parse("chunk", "P1W")).hasToString("P7D");
        assertThat(IsoPeriod.parse("chunk", "P14M")).hasToString("P1Y2M");
    }

    @Test
    void retentionFollowsTheCalendar() {
        IsoPeriod month = IsoPeriod.parse("retention", "P1M");
        assertThat(month.addTo(millis("2024-01-31T00:00:00Z"), ZoneId.of("UTC")))
                .isEqualTo(millis("2024-02-29T00:00:00Z"));
        IsoPeriod day = IsoPeriod.parse("retention", "P1D");
        assertThat(day.addTo(millis("2024-03-30T23:00:00Z"), ZoneId.of("Europe/Rome")))
                .isEqualTo(millis("2024-03-31T22:00:00Z"));
    }

    @Test
    void timesOfRows() {
        assertThat(RowTime.parse("ts", 5L)).isEqualTo(5);
        assertThat(RowTime.parse("ts", "2024-05-01")).isEqualTo(millis("2024-05-01T00:00:00Z"));
        assertThat(RowTime.parse("ts", "2024-05-01T10:00:00.1239+02:00")).isEqualTo(millis("2024-05-01T08:00:00.123Z"));
        assertThat(RowTime.parse("ts", "1969-12-31T23:59:59.999Z")).isEqualTo(-1);
        for (Object bad : List.of("", "yesterday", "2024-05-01T10:00:00", "2024-02-30", 1.5, true, "9".repeat(100))) {
            assertThatThrownBy(() -> RowTime.parse("ts", bad))
                    .as("%s", bad)
                    .isInstanceOfSatisfying(UniserveException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW);
                        assertThat(e.reason()).contains("\"ts\"");
                    });
        }
        assertThatThrownBy(() -> RowTime.parse("ts", null)).hasMessageContaining("is missing");
    }
}
