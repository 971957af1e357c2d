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
 * Estimate of the rows that a query scans: those in its intervals, if the rows of a segment are spread evenly over its time. Rows that a
 * filter skips by an index count too. Stateless.
 */
final class RowsScanned {
    private RowsScanned() {}

    /**
     * Returns the sum over all segments and their intervals.
     *
     * @param segments segments that the query reads; one with several intervals occurs several times
     * @param parts interval of each segment, in the same order
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
