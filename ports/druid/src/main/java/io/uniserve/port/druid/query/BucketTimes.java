package io.uniserve.port.druid.query;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.druid.java.util.common.granularity.Granularities;
import org.apache.druid.query.Query;
import org.apache.druid.query.Result;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.query.search.SearchQuery;
import org.apache.druid.query.timeseries.TimeseriesQuery;
import org.apache.druid.query.timeseries.TimeseriesResultValue;
import org.apache.druid.query.topn.DimensionAndMetricValueExtractor;
import org.apache.druid.query.topn.TopNQuery;
import org.apache.druid.query.topn.TopNResultValue;
import org.joda.time.DateTime;
import org.joda.time.Interval;
import org.jspecify.annotations.Nullable;

/**
 * Alignment of result times and field order, so that results do not depend on the segments. With granularity ALL each segment reports the
 * time of its own first row, and Druid's merge keeps any of them. A single segment with all rows reports the first of all. Stateless.
 */
final class BucketTimes {
    private BucketTimes() {}

    /**
     * Returns an actor's results with the time of the first row of all segments, if the query has granularity ALL. Fields are in the order of
     * the query's aggregators.
     */
    static <T> List<T> aligned(Query<T> query, TimeRange times, List<T> rows) {
        return mapped(query, times, rows, true);
    }

    /** Returns aligned results with the time of the first row of a larger range, if the query has granularity ALL. */
    static <T> List<T> withFirst(Query<T> query, TimeRange times, List<T> rows) {
        return Granularities.ALL.equals(query.getGranularity()) ? mapped(query, times, rows, false) : rows;
    }

    @SuppressWarnings("unchecked") // Results of these query types are all of class Result.
    private static <T> List<T> mapped(Query<T> query, TimeRange times, List<T> rows, boolean withOrder) {
        boolean timed = query instanceof TimeseriesQuery || query instanceof TopNQuery || query instanceof SearchQuery;
        if (!timed) {
            return rows;
        }
        List<Interval> read = times.isEmpty() ? List.of() : times.clip(query.getIntervals(), times.last() + 1);
        boolean all = Granularities.ALL.equals(query.getGranularity()) && !read.isEmpty();
        @Nullable DateTime first = all ? read.get(0).getStart() : null;
        List<T> aligned = new ArrayList<>(rows.size());
        for (T row : rows) {
            Result<?> result = (Result<?>) row;
            Object value = withOrder ? ordered(query, result.getValue()) : result.getValue();
            aligned.add((T) new Result<>(first != null ? first : result.getTimestamp(), value));
        }
        return aligned;
    }

    private static Object ordered(Query<?> query, Object value) {
        if (query instanceof TimeseriesQuery timeseries) {
            return ordered(timeseries, (TimeseriesResultValue) value);
        }
        return query instanceof TopNQuery topN ? ordered(topN, (TopNResultValue) value) : value;
    }

    private static TimeseriesResultValue ordered(TimeseriesQuery query, TimeseriesResultValue value) {
        return new TimeseriesResultValue(
                ordered(new LinkedHashMap<>(), query.getAggregatorSpecs(), value.getBaseObject()));
    }

    private static TopNResultValue ordered(TopNQuery query, TopNResultValue value) {
        String dimension = query.getDimensionSpec().getOutputName();
        List<Object> values = new ArrayList<>(value.getValue().size());
        for (DimensionAndMetricValueExtractor one : value.getValue()) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put(dimension, one.getDimensionValue(dimension));
            values.add(ordered(fields, query.getAggregatorSpecs(), one.getBaseObject()));
        }
        return TopNResultValue.create(values);
    }

    private static Map<String, Object> ordered(
            Map<String, Object> first, List<AggregatorFactory> aggregators, Map<String, Object> fields) {
        for (AggregatorFactory aggregator : aggregators) {
            if (fields.containsKey(aggregator.getName())) {
                first.put(aggregator.getName(), fields.get(aggregator.getName()));
            }
        }
        fields.forEach(first::putIfAbsent);
        return first;
    }
}
