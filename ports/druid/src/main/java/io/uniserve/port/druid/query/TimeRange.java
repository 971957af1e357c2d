package io.uniserve.port.druid.query;

import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import java.util.List;
import org.apache.druid.segment.Segment;
import org.apache.druid.segment.TimeBoundaryInspector;
import org.joda.time.Interval;
import org.joda.time.chrono.ISOChronology;

/**
 * Range of the times of all rows of segments, in milliseconds. Druid's engines return the time buckets from the first to the last row of a
 * segment. Planners need the range of all segments for answers as from one segment with all rows.
 *
 * @param first time of the first row
 * @param last time of the last row; below {@code first} if there are no rows
 */
record TimeRange(long first, long last) {
    static final TimeRange EMPTY = new TimeRange(Long.MAX_VALUE, Long.MIN_VALUE);

    static final Codec<TimeRange> CODEC = Codecs.of(
            (out, range) -> out.writeLong(range.first).writeLong(range.last),
            in -> new TimeRange(in.readLong(), in.readLong()));

    /** Range of a segment's rows. */
    static TimeRange of(Segment segment) {
        TimeBoundaryInspector times = segment.as(TimeBoundaryInspector.class);
        return times == null || times.getMinTime() == null // no rows
                ? EMPTY
                : new TimeRange(
                        times.getMinTime().getMillis(), times.getMaxTime().getMillis());
    }

    boolean isEmpty() {
        return last < first;
    }

    TimeRange plus(TimeRange other) {
        return new TimeRange(Math.min(first, other.first), Math.max(last, other.last));
    }

    /** The parts of the intervals between the first row and this time, exclusive. */
    List<Interval> clip(List<Interval> intervals, long end) {
        return intervals.stream()
                .filter(interval -> interval.getStartMillis() < end && interval.getEndMillis() > first)
                .map(interval -> new Interval(
                        Math.max(first, interval.getStartMillis()),
                        Math.min(end, interval.getEndMillis()),
                        ISOChronology.getInstanceUTC()))
                .toList();
    }
}
