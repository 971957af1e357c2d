package io.uniserve.port.druid.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.druid.java.util.common.granularity.Granularities;
import org.apache.druid.java.util.common.granularity.Granularity;
import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.java.util.common.guava.Sequences;
import org.apache.druid.query.Query;
import org.apache.druid.query.Result;
import org.apache.druid.query.groupby.GroupByQuery;
import org.apache.druid.query.timeseries.TimeseriesQuery;
import org.apache.druid.query.timeseries.TimeseriesQueryQueryToolChest;
import org.apache.druid.query.timeseries.TimeseriesResultValue;
import org.apache.druid.query.topn.TopNQuery;
import org.apache.druid.query.topn.TopNResultValue;
import org.joda.time.DateTime;
import org.joda.time.Interval;

/**
 * Time buckets without rows. Druid's engines return those between the first and the last row of a segment. The planner adds those between
 * segments, so that the answer is that of one segment with all rows. Stateless.
 */
final class EmptyBuckets {
    /** Maximum number of time buckets of a query, over all its intervals. */
    static final int BUCKETS_MAX = 1_000_000;

    /** Maximum number of time buckets of one segment that a query visits, also without rows. Druid checks cancellation only between rows. */
    static final long VISITED_MAX = 100_000_000;

    private EmptyBuckets() {}

    /**
     * Fails with TOO_LARGE before a query visits too many buckets of a segment. Their number is estimated by the length of the first
     * one. The limit of a topN is lower, because it allocates a result per bucket; planners count its buckets exactly.
     *
     * @param times of the segment's rows
     * @param read part of the segment that the query reads
     */
    static void check(Query<?> query, TimeRange times, Interval read) {
        boolean bucketed =
                query instanceof TopNQuery || query instanceof TimeseriesQuery || query instanceof GroupByQuery;
        if (!bucketed || Granularities.ALL.equals(query.getGranularity())) {
            return;
        }
        long from = Math.max(times.first(), read.getStartMillis());
        long to = Math.min(times.last(), read.getEndMillis());
        long most = query instanceof TopNQuery ? 2L * BUCKETS_MAX : VISITED_MAX;
        if (from < to) {
            long start = query.getGranularity().bucketStart(from);
            long length = Math.max(1, query.getGranularity().increment(start) - start);
            if ((to - from) / length > most) {
                throw tooMany(most);
            }
        }
    }

    private static UniserveException tooMany(long most) {
        return new UniserveException(
                ErrorCode.TOO_LARGE,
                "query has more than " + most + " time buckets in one segment; use a coarser granularity or shorter"
                        + " intervals");
    }

    /** The query for actors. They return no empty buckets: a merge could take the null of an actor without rows for a value. */
    static <T> Query<T> forActors(Query<T> query) {
        return query instanceof TimeseriesQuery
                ? query.withOverriddenContext(Map.of(TimeseriesQuery.SKIP_EMPTY_BUCKETS, true))
                : query;
    }

    /**
     * Empty results of all buckets, in the order of the query, to merge with the actors' results. Fails with TOO_LARGE for more than
     * {@link #BUCKETS_MAX} buckets.
     */
    @SuppressWarnings("unchecked") // Results of both query types are of class Result.
    static <T> Sequence<T> of(Query<T> query, List<PartialResults> parts) {
        boolean filled = query instanceof TopNQuery
                || query instanceof TimeseriesQuery timeseries && !timeseries.isSkipEmptyBuckets();
        TimeRange times = PartialResults.range(parts);
        if (!filled || times.isEmpty() || Granularities.ALL.equals(query.getGranularity())) {
            return Sequences.empty();
        }
        List<T> empty = new ArrayList<>();
        for (DateTime bucket : buckets(query, times)) {
            empty.add((T) new Result<>(bucket, emptyValue(query)));
        }
        empty.sort(query.getResultOrdering());
        return Sequences.simple(empty);
    }

    /** Empty results as of {@link #of}, without those of buckets that have a row. */
    static <T> Sequence<T> without(Query<T> query, List<PartialResults> parts, List<T> rows) {
        Set<DateTime> full = new HashSet<>();
        rows.forEach(row -> full.add(((Result<?>) row).getTimestamp()));
        return of(query, parts).filter(empty -> !full.contains(((Result<?>) empty).getTimestamp()));
    }

    private static Object emptyValue(Query<?> query) {
        if (!(query instanceof TimeseriesQuery timeseries)) {
            return new TopNResultValue(new ArrayList<>());
        }
        Object[] values = TimeseriesQueryQueryToolChest.getEmptyAggregations(timeseries.getAggregatorSpecs());
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i++) {
            fields.put(timeseries.getAggregatorSpecs().get(i).getName(), values[i]);
        }
        return new TimeseriesResultValue(fields);
    }

    private static Set<DateTime> buckets(Query<?> query, TimeRange times) {
        Granularity granularity = query.getGranularity();
        long end = granularity.increment(granularity.bucketStart(times.last()));
        Set<DateTime> buckets = new HashSet<>();
        for (Interval interval : times.clip(query.getIntervals(), end)) {
            for (Interval bucket : granularity.getIterable(interval)) {
                buckets.add(bucket.getStart());
                if (buckets.size() > BUCKETS_MAX) {
                    throw new UniserveException(
                            ErrorCode.TOO_LARGE,
                            "query has more than " + BUCKETS_MAX + " time buckets; use a coarser granularity, shorter"
                                    + " intervals, or in a timeseries \"context\": {\"skipEmptyBuckets\": true}");
                }
            }
        }
        return buckets;
    }
}
