package io.uniserve.port.druid.query;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

        Result<TopNResultValue> all(TopNQuery query) {
            List<DimensionAndMetricValueExtractor> all = new ArrayList<>(values.size());
            values.values().forEach(fields -> all.add(fields.value(query.getPostAggregatorSpecs())));
            return new Result<>(time, new TopNResultValue(all));
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

    /**
     * Merges results of any number of actors, whose times are those of buckets.
     *
     * @param ranked whether to return the best values only, in their order; otherwise all values
     */
    @SuppressWarnings("unchecked") // T is the result of a topN.
    static <T> List<T> merge(TopNQuery query, List<List<T>> parts, boolean ranked) {
        boolean all = Granularities.ALL.equals(query.getGranularity());
        Map<Long, Bucket> buckets = new TreeMap<>();
        for (List<T> part : parts) {
            for (T row : part) {
                Result<TopNResultValue> result = (Result<TopNResultValue>) row;
                DateTime time =
                        all ? result.getTimestamp() : query.getGranularity().bucketStart(result.getTimestamp());
                buckets.computeIfAbsent(all ? 0 : time.getMillis(), start -> new Bucket(time))
                        .add(query, result);
            }
        }
        List<T> merged = new ArrayList<>();
        for (Bucket bucket : buckets.values()) {
            merged.add((T) (ranked ? bucket.best(query) : bucket.all(query)));
        }
        return merged;
    }
}
