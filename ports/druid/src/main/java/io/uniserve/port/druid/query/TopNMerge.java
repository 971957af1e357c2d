package io.uniserve.port.druid.query;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.druid.java.util.common.granularity.Granularities;
import org.apache.druid.query.Result;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.query.aggregation.PostAggregator;
import org.apache.druid.query.topn.DimensionAndMetricValueExtractor;
import org.apache.druid.query.topn.TopNQuery;
import org.apache.druid.query.topn.TopNResultBuilder;
import org.apache.druid.query.topn.TopNResultValue;
import org.joda.time.DateTime;

/**
 * Merge of all topN results of a server at once. Values are combined in one map per time bucket, and ranked once. Druid merges results two at
 * a time. It copies and ranks all values each time, and drops those beyond the threshold. Stateless.
 */
final class TopNMerge {
    private TopNMerge() {}

    /** Builder of the best values of a time bucket, by the query's metric and threshold. */
    static TopNResultBuilder builder(TopNQuery query, DateTime time) {
        List<AggregatorFactory> aggregators = query.getAggregatorSpecs();
        List<PostAggregator> posts = query.getPostAggregatorSpecs();
        return query.getTopNMetricSpec()
                .getResultBuilder(
                        time,
                        query.getDimensionSpec(),
                        query.getThreshold(),
                        query.getTopNMetricSpec().getComparator(aggregators, posts),
                        aggregators,
                        posts);
    }

    /** Results of one time bucket by value of the dimension, in the order of the parts. */
    private static final class Bucket {
        private final DateTime time;
        private final Map<Object, Fields> values = new LinkedHashMap<>();

        Bucket(DateTime time) {
            this.time = time;
        }

        void add(TopNQuery query, Result<TopNResultValue> result) {
            String dimension = query.getDimensionSpec().getOutputName();
            for (DimensionAndMetricValueExtractor value : result.getValue()) {
                Fields known = values.get(value.getDimensionValue(dimension));
                if (known == null) {
                    values.put(value.getDimensionValue(dimension), new Fields(value));
                } else {
                    known.add(query.getAggregatorSpecs(), value);
                }
            }
        }

        Result<TopNResultValue> best(TopNQuery query) {
            List<PostAggregator> posts = query.getPostAggregatorSpecs();
            TopNResultBuilder builder = builder(query, time);
            values.values().forEach(fields -> builder.addEntry(fields.value(posts)));
            return builder.build();
        }
    }

    /** All values of one time bucket, in the order of their arrival. */
    private static final class AllValues {
        private final DateTime time;
        private final TopNValues.Table table;

        AllValues(DateTime time, TopNQuery query) {
            this.time = time;
            this.table = new TopNValues.Table(query, new LinkedHashMap<>());
        }
    }

    /** Fields of one value: those of its only result, or combined ones. */
    private static final class Fields {
        private final DimensionAndMetricValueExtractor first;
        private Map<String, Object> combined = Map.of();

        Fields(DimensionAndMetricValueExtractor first) {
            this.first = first;
        }

        void add(List<AggregatorFactory> aggregators, DimensionAndMetricValueExtractor other) {
            if (combined.isEmpty()) {
                combined = new LinkedHashMap<>(first.getBaseObject());
            }
            for (AggregatorFactory aggregator : aggregators) {
                String name = aggregator.getName();
                combined.put(name, aggregator.combine(combined.get(name), other.getMetric(name)));
            }
        }

        DimensionAndMetricValueExtractor value(List<PostAggregator> posts) {
            if (combined.isEmpty()) {
                return first;
            }
            for (PostAggregator post : posts) {
                combined.put(post.getName(), post.compute(combined));
            }
            return new DimensionAndMetricValueExtractor(combined);
        }
    }

    /** Merges results of any number of actors, whose times are those of buckets: the best values, in their order. */
    @SuppressWarnings("unchecked") // T is the result of a topN.
    static <T> List<T> best(TopNQuery query, List<List<T>> parts) {
        Map<Long, Bucket> buckets = new TreeMap<>();
        forEach(
                parts,
                result -> buckets.computeIfAbsent(key(query, result), start -> new Bucket(time(query, result)))
                        .add(query, result));
        List<T> merged = new ArrayList<>();
        buckets.values().forEach(bucket -> merged.add((T) bucket.best(query)));
        return merged;
    }

    /** Merges results as {@link #best} does, but keeps all values. */
    @SuppressWarnings("unchecked") // T is the result of a topN.
    static <T> List<T> allValues(TopNQuery query, List<List<T>> parts) {
        Map<Long, AllValues> buckets = new TreeMap<>();
        forEach(
                parts,
                result -> buckets.computeIfAbsent(
                                key(query, result), start -> new AllValues(time(query, result), query))
                        .table
                        .add(result.getValue()));
        List<T> merged = new ArrayList<>();
        buckets.values()
                .forEach(bucket ->
                        merged.add((T) new Result<>(bucket.time, new TopNResultValue(bucket.table.toValues()))));
        return merged;
    }

    @SuppressWarnings("unchecked") // T is the result of a topN.
    private static <T> void forEach(List<List<T>> parts, Consumer<Result<TopNResultValue>> action) {
        parts.forEach(part -> part.forEach(row -> action.accept((Result<TopNResultValue>) row)));
    }

    private static long key(TopNQuery query, Result<TopNResultValue> result) {
        return Granularities.ALL.equals(query.getGranularity())
                ? 0
                : time(query, result).getMillis();
    }

    private static DateTime time(TopNQuery query, Result<TopNResultValue> result) {
        return Granularities.ALL.equals(query.getGranularity())
                ? result.getTimestamp()
                : query.getGranularity().bucketStart(result.getTimestamp());
    }
}
