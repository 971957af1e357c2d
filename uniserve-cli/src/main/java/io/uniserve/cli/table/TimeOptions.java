package io.uniserve.cli.table;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a table that is partitioned by time. */
final class TimeOptions {
    private static final int BUCKETS_DEFAULT = 1;

    @Option(
            names = "--time",
            paramLabel = "'COLUMN PERIOD'",
            description =
                    "Partitions by time into chunks, each with its own actors: the time column, and the length of a"
                            + " chunk as an ISO-8601 period, e.g. 'ts P1D', 'ts PT1H', 'ts P1M'.")
    private @Nullable String time;

    @Option(
            names = "--buckets",
            paramLabel = "N",
            description = "With --time: actors per chunk, by hash of the row's key (default: " + BUCKETS_DEFAULT + ").")
    private @Nullable Integer buckets;

    @Option(
            names = "--retention",
            paramLabel = "PERIOD",
            description = "With --time: a chunk is dropped this long after its end, e.g. P90D (default: never).")
    private @Nullable String retention;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "With --time: time zone in which days, weeks, months and years start, e.g. Europe/Rome"
                    + " (default: UTC).")
    private @Nullable String zone;

    @Option(
            names = "--ahead",
            paramLabel = "PERIOD",
            description = "With --time: a row may be at most this far in the future, e.g. PT1H (default: P1D).")
    private @Nullable String ahead;

    /** Returns whether the table is partitioned by time; fails with INVALID_ARGUMENT for an option without --time. */
    boolean isGiven() {
        boolean others = buckets != null || retention != null || zone != null || ahead != null;
        if (time == null && others) {
            throw UniserveException.invalid(
                    "--buckets, --retention, --zone and --ahead need --time, e.g. --time 'ts P1D'");
        }
        return time != null;
    }

    /** The partitioner. Fails with INVALID_ARGUMENT that names the option. */
    Partitioner.Time partitioner() {
        String[] words = time == null ? new String[0] : time.strip().split("\\s+");
        if (words.length != 2) {
            throw UniserveException.invalid(
                    "--time is '" + time + "': give the time column and the length of a chunk, e.g. 'ts P1D'");
        }
        IsoPeriod chunk = IsoPeriod.parse("--time", words[1]);
        return new Partitioner.Time(
                words[0],
                new ChunkCalendar(chunk, ChunkCalendar.parseZone(zone == null ? "UTC" : zone)),
                buckets == null ? BUCKETS_DEFAULT : buckets,
                Optional.ofNullable(retention).map(text -> IsoPeriod.parse("--retention", text)),
                IsoPeriod.parse("--ahead", ahead == null ? "P1D" : ahead));
    }
}
