package io.uniserve.port.druid.query;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.druid.query.SegmentDescriptor;
import org.apache.druid.segment.ReferenceCountingSegment;
import org.joda.time.Interval;

/**
 * Part of a segment that a query reads. Immutable.
 *
 * @param overlap overlap of the segment's interval and an interval of the query
 */
record SegmentPiece(ReferenceCountingSegment segment, Interval overlap) {
    /**
     * Pieces in the order of their start, and for equal starts in the order of the segments. Druid's ordered scans read runners in this order
     * until their limit. So the overlap is with the segment's interval, not with its data interval: the data interval of an index in
     * memory ends with its newest row.
     */
    static List<SegmentPiece> of(List<ReferenceCountingSegment> segments, List<Interval> intervals) {
        List<SegmentPiece> pieces = new ArrayList<>();
        for (ReferenceCountingSegment segment : segments) {
            for (Interval interval : intervals) {
                Interval overlap = interval.overlap(segment.getId().getInterval());
                if (overlap != null) {
                    pieces.add(new SegmentPiece(segment, overlap));
                }
            }
        }
        pieces.sort(Comparator.comparingLong(piece -> piece.overlap().getStartMillis())); // stable
        return pieces;
    }

    SegmentDescriptor descriptor() {
        return new SegmentDescriptor(
                overlap, segment.getId().getVersion(), segment.getId().getPartitionNum());
    }
}
