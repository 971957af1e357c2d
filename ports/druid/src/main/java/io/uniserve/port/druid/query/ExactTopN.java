package io.uniserve.port.druid.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.druid.java.util.common.granularity.Granularities;
import org.apache.druid.java.util.common.guava.Comparators;
import org.apache.druid.query.DataSource;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryContexts;
import org.apache.druid.query.QueryDataSource;
import org.apache.druid.query.Result;
import org.apache.druid.query.UnionDataSource;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.query.ordering.StringComparator;
import org.apache.druid.query.ordering.StringComparators;
import org.apache.druid.query.topn.DimensionAndMetricValueExtractor;
import org.apache.druid.query.topn.DimensionTopNMetricSpec;
import org.apache.druid.query.topn.InvertedTopNMetricSpec;
import org.apache.druid.query.topn.TopNMetricSpec;
import org.apache.druid.query.topn.TopNQuery;
import org.apache.druid.query.topn.TopNResultBuilder;
import org.apache.druid.query.topn.TopNResultValue;
import org.apache.druid.query.union.UnionQuery;
import org.joda.time.DateTime;
import org.joda.time.chrono.ISOChronology;

/**
 * Exact topN: actors return all values of the dimension. The planner ranks them as Druid's engine ranks the values of one segment with all
 * rows, ties included. Druid merges only the best values of each segment, which may miss some. Stateless.
 *
 * <p>Errors: RESOURCE_EXHAUSTED if a time bucket of an actor has {@link #VALUES_MAX} values.
 */
final class ExactTopN {
    /** Number of values of the dimension in a time bucket of an actor at which a topN fails. */
    static final int VALUES_MAX = 100_000;

    private static final String APPROXIMATE = "useApproximateTopN";

    private static final Set<StringComparator> TOTAL_ORDERS =
            Set.of(StringComparators.LEXICOGRAPHIC, StringComparators.STRLEN);

    private ExactTopN() {}

    /** Returns whether the query is a topN that asks for exact results, and whose merge by Druid is not exact already. */
    static boolean applies(Query<?> query) {
        return query instanceof TopNQuery topN
                && !query.context().getBoolean(APPROXIMATE, false)
                && !isByDimension(topN);
    }

    /**
     * Returns whether values are ranked by the dimension itself, not by a metric. Then the first values of the segments include the first
     * values of the table, so Druid's merge is exact.
     */
    private static boolean isByDimension(TopNQuery query) {
        TopNMetricSpec metric = query.getTopNMetricSpec();
        while (metric instanceof InvertedTopNMetricSpec inverted) {
            metric = inverted.getDelegate();
        }
        if (!(metric instanceof DimensionTopNMetricSpec dimension)) {
            return false;
        }
        // Only these orders have no equal ranks of different values.
        return query.getDimensionSpec().getOutputType().isNumeric()
                ? StringComparators.NUMERIC.equals(dimension.getOrdering())
                : TOTAL_ORDERS.contains(dimension.getOrdering());
    }

    /** Fails with RESOURCE_EXHAUSTED if an actor may have more values than it returns. Called per actor, before results are merged. */
    static void check(Query<?> query, List<?> rows) {
        if (!(query instanceof TopNQuery topN) || !isForActors(topN)) {
            return;
        }
        for (Object row : rows) {
            int values =
                    ((TopNResultValue) ((Result<?>) row).getValue()).getValue().size();
            if (values >= topN.getThreshold()) {
                throw new UniserveException(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "topN: dimension " + topN.getDimensionSpec().getDimension() + " has " + values
                                + " or more values in an actor; use a groupBy, or \"context\": {\"" + APPROXIMATE
                                + "\": true}");
            }
        }
    }

    /**
     * Returns the query with a change to each exact topN over a union, also in subqueries: it gets all values of each table. So the merge of
     * the union's tables is exact.
     */
    static <T> Query<T> withAllValues(Query<T> query) {
        if (query instanceof UnionQuery union) {
            @SuppressWarnings("unchecked") // Only its data sources change.
            Query<T> same = (Query<T>) (Query<?>) union.withDataSources(union.getDataSources().stream()
                    .map(ExactTopN::withAllValues)
                    .toList());
            return same;
        }
        Query<T> exact = query.withDataSource(withAllValues(query.getDataSource()));
        return applies(query) && query.getDataSource() instanceof UnionDataSource
                ? exact.withOverriddenContext(Map.of(QueryContexts.MIN_TOP_N_THRESHOLD, VALUES_MAX))
                : exact;
    }

    private static DataSource withAllValues(DataSource source) {
        if (source instanceof QueryDataSource subquery) {
            return new QueryDataSource(withAllValues(subquery.getQuery()));
        }
        List<DataSource> children = source.getChildren();
        return children.isEmpty()
                ? source
                : source.withChildren(
                        children.stream().map(ExactTopN::withAllValues).toList());
    }

    /** The query for actors. */
    @SuppressWarnings("unchecked") // Only the number of results changes.
    static <T> Query<T> forActors(Query<T> query) {
        TopNQuery topN = (TopNQuery) query;
        return (Query<T>) (Query<?>) topN.withThreshold(Math.max(topN.getThreshold(), VALUES_MAX));
    }

    /** Returns whether actors return all values for this query, so that their order does not matter. */
    static boolean isForActors(TopNQuery query) {
        return applies(query) && query.getThreshold() >= VALUES_MAX;
    }

    /** Ranks all values of all parts. */
    @SuppressWarnings("unchecked") // T is the result of a topN.
    static <T> List<T> rank(Query<T> query, List<List<T>> parts) {
        TopNQuery topN = (TopNQuery) query;
        Map<Long, Map<Object, Map<String, Object>>> buckets = new TreeMap<>();
        for (List<T> part : parts) {
            for (T row : part) {
                Result<TopNResultValue> result = (Result<TopNResultValue>) row;
                long bucket = Granularities.ALL.equals(topN.getGranularity())
                        ? 0
                        : topN.getGranularity()
                                .bucketStart(result.getTimestamp().getMillis());
                add(topN, buckets.computeIfAbsent(bucket, start -> values()), result);
            }
        }
        List<T> ranked = new ArrayList<>();
        buckets.forEach((start, values) -> ranked.add((T) best(topN, time(start, topN, parts), values)));
        return ranked;
    }

    /** Time of a result: start of its bucket, or for granularity ALL the time of the first row, which all parts have. */
    private static <T> DateTime time(long start, TopNQuery query, List<List<T>> parts) {
        return Granularities.ALL.equals(query.getGranularity())
                ? ((Result<?>) parts.stream()
                                .filter(part -> !part.isEmpty())
                                .findFirst()
                                .orElseThrow()
                                .get(0))
                        .getTimestamp()
                : new DateTime(start, ISOChronology.getInstanceUTC());
    }

    /** Empty map in the order of a segment's dictionary: Druid's engine visits values in this order. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // Values of one dimension are of one type.
    private static Map<Object, Map<String, Object>> values() {
        return new TreeMap<>((Comparator) Comparators.naturalNullsFirst());
    }

    private static void add(TopNQuery query, Map<Object, Map<String, Object>> values, Result<TopNResultValue> result) {
        String dimension = query.getDimensionSpec().getOutputName();
        for (DimensionAndMetricValueExtractor value : result.getValue()) {
            Map<String, Object> known = values.get(value.getDimensionValue(dimension));
            if (known == null) {
                values.put(value.getDimensionValue(dimension), new LinkedHashMap<>(value.getBaseObject()));
                continue;
            }
            for (AggregatorFactory aggregator : query.getAggregatorSpecs()) {
                known.compute(aggregator.getName(), (name, left) -> aggregator.combine(left, value.getMetric(name)));
            }
        }
    }

    private static Result<TopNResultValue> best(
            TopNQuery query, DateTime time, Map<Object, Map<String, Object>> values) {
        List<AggregatorFactory> aggregators = query.getAggregatorSpecs();
        TopNResultBuilder builder = TopNMerge.builder(query, time);
        values.forEach((value, fields) -> builder.addEntry(
                (Comparable<?>) value,
                null,
                aggregators.stream()
                        .map(aggregator -> fields.get(aggregator.getName()))
                        .toArray()));
        return builder.build();
    }
}
