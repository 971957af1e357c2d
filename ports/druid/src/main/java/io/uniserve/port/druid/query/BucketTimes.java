package io.uniserve.port.druid.query;

import java.util.ArrayList;
import java.util.List;
import org.apache.druid.java.util.common.granularity.Granularities;
import org.apache.druid.query.Query;
import org.apache.druid.query.Result;
import org.apache.druid.query.search.SearchQuery;
import org.apache.druid.query.timeseries.TimeseriesQuery;
import org.apache.druid.query.topn.TopNQuery;
import org.joda.time.DateTime;
import org.joda.time.chrono.ISOChronology;

/**
 * Times of results. With granularity ALL each segment reports the time of its own first row, and a merge keeps any of them; one Druid with
 * all rows reports the first of all. Stateless.
 */
final class BucketTimes {
    private BucketTimes() {}

    /** Returns the results with the time of the first row of all segments, if the query has granularity ALL. */
    @SuppressWarnings("unchecked") // Results of these query types are all of class Result.
    static <T> List<T> aligned(Query<T> query, TimeRange times, List<T> rows) {
        boolean timed = query instanceof TimeseriesQuery || query instanceof TopNQuery || query instanceof SearchQuery;
        if (!timed || times.isEmpty() || !Granularities.ALL.equals(query.getGranularity())) {
            return rows;
        }
        DateTime first = new DateTime(times.first(), ISOChronology.getInstanceUTC());
        List<T> aligned = new ArrayList<>(rows.size());
        for (T row : rows) {
            aligned.add((T) new Result<>(first, ((Result<?>) row).getValue()));
        }
        return aligned;
    }
}
