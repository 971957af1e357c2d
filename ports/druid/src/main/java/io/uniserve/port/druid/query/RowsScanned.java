package io.uniserve.port.druid.query;

import java.util.List;
import org.apache.druid.query.Query;
import org.apache.druid.query.SegmentDescriptor;
import org.apache.druid.query.datasourcemetadata.DataSourceMetadataQuery;
import org.apache.druid.query.metadata.metadata.SegmentMetadataQuery;
import org.apache.druid.query.timeboundary.TimeBoundaryQuery;
import org.apache.druid.segment.PhysicalSegmentInspector;
import org.apache.druid.segment.Segment;
import org.joda.time.Interval;

/**
 * Estimate of the rows that a query scans: those of its intervals, as if the rows of a segment were spread evenly over its time. Rows that
 * an index of a filter skips count too. Stateless.
 */
final class RowsScanned {
    private RowsScanned() {}

    /**
     * Returns the rows of all pairs of a segment and an interval within it.
     *
     * @param parts one interval per segment; a segment occurs once per interval
     */
    static long estimate(Query<?> query, List<? extends Segment> segments, List<SegmentDescriptor> parts) {
        boolean metadata = query instanceof TimeBoundaryQuery && query.getFilter() == null
                || query instanceof DataSourceMetadataQuery
                || query instanceof SegmentMetadataQuery;
        if (metadata) {
            return 0;
        }
        double rows = 0;
        for (int i = 0; i < segments.size(); i++) {
            PhysicalSegmentInspector inspector = segments.get(i).as(PhysicalSegmentInspector.class);
            if (inspector != null) {
                rows += inspector.getNumRows()
                        * share(parts.get(i).getInterval(), segments.get(i).getDataInterval());
            }
        }
        return Math.round(rows);
    }

    private static double share(Interval part, Interval whole) {
        double millis = (double) whole.getEndMillis() - whole.getStartMillis();
        if (millis <= 0) {
            return 1;
        }
        double from = Math.max(part.getStartMillis(), whole.getStartMillis());
        double to = Math.min(part.getEndMillis(), whole.getEndMillis());
        return Math.max(0, to - from) / millis;
    }
}
