package io.uniserve.port.druid.query;

import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import org.apache.druid.query.SegmentDescriptor;
import org.apache.druid.segment.Segment;
import org.apache.druid.segment.TimeBoundaryInspector;

/**
 * Times of the rows of segments within a query's intervals, in milliseconds. Druid's engines number time buckets from the first row of a
 * segment to the last one; for answers of one Druid with all rows, planners need these of all segments.
 *
 * @param first time of the first row, or the begin of the interval if that is later
 * @param last time of the last row; below {@code first} if there are no rows
 */
record TimeRange(long first, long last) {
    static final TimeRange EMPTY = new TimeRange(Long.MAX_VALUE, Long.MIN_VALUE);

    static final Codec<TimeRange> CODEC = Codecs.of(
            (out, range) -> out.writeLong(range.first).writeLong(range.last),
            in -> new TimeRange(in.readLong(), in.readLong()));

    /** Range of a segment's rows within the interval of a descriptor. */
    static TimeRange of(Segment segment, SegmentDescriptor descriptor) {
        long begin = descriptor.getInterval().getStartMillis();
        long end = descriptor.getInterval().getEndMillis();
        TimeBoundaryInspector times = segment.as(TimeBoundaryInspector.class);
        if (times != null) {
            long least = times.getMinTime().getMillis();
            long most = times.getMaxTime().getMillis();
            if (least >= end || most < begin) {
                return EMPTY;
            }
            return new TimeRange(Math.max(begin, least), Math.min(end - 1, most));
        }
        return new TimeRange(begin, end - 1);
    }

    boolean isEmpty() {
        return last < first;
    }

    TimeRange plus(TimeRange other) {
        return new TimeRange(Math.min(first, other.first), Math.max(last, other.last));
    }
}
