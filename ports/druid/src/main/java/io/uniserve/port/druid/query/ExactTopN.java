package io.uniserve.port.druid.query;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
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
import org.apache.druid.query.ordering.StringComparator;
import org.apache.druid.query.ordering.StringComparators;
import org.apache.druid.query.topn.DimensionTopNMetricSpec;
import org.apache.druid.query.topn.InvertedTopNMetricSpec;
import org.apache.druid.query.topn.TopNMetricSpec;
import org.apache.druid.query.topn.TopNQuery;
import org.apache.druid.query.topn.TopNResultBuilder;
import org.apache.druid.query.topn.TopNResultValue;
import org.apache.druid.query.union.UnionQuery;
import org.joda.time.DateTime;
import org.joda.time.chrono.ISOChronology;
import org.jspecify.annotations.Nullable;

/**
 * Exact topN: actors return all values of the dimension. The planner ranks them as Druid's engine ranks the values of one segment with all
 * rows, ties included. Druid merges only the best values of each segment, which may miss some. Stateless.
 *
 * <p>Errors: TOO_LARGE if a time bucket of an actor has {@link #VALUES_MAX} values.
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

    /** Fails with TOO_LARGE if an actor may have more values than it returns. Called per actor, before results are merged. */
    static void check(Query<?> query, List<?> rows) {
        if (!(query instanceof TopNQuery topN) || !isForActors(topN)) {
            return;
        }
        for (Object row : rows) {
            int values =
                    ((TopNResultValue) ((Result<?>) row).getValue()).getValue().size();
            if (values >= topN.getThreshold()) {
                throw new UniserveException(
                        ErrorCode.TOO_LARGE,
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

    /** Ranking of all values of all parts. Not thread-safe. */
    static final class Ranking<T> {
        private final TopNQuery query;
        private final Map<Long, TopNValues.Table> buckets = new TreeMap<>();
        private @Nullable DateTime first;

        Ranking(Query<T> query) {
            this.query = (TopNQuery) query;
        }

        /** Adds the results of an actor or a server. */
        @SuppressWarnings("unchecked") // T is the result of a topN.
        void add(List<T> part) {
            for (T row : part) {
                Result<TopNResultValue> result = (Result<TopNResultValue>) row;
                first = first == null ? result.getTimestamp() : first;
                long bucket = isOfAllTime()
                        ? 0
                        : query.getGranularity()
                                .bucketStart(result.getTimestamp().getMillis());
                buckets.computeIfAbsent(bucket, start -> new TopNValues.Table(query, values()))
                        .add(result.getValue());
            }
        }

        /** The best values of each time bucket. Results of granularity ALL have the time of the first row, which all parts know. */
        @SuppressWarnings("unchecked") // T is the result of a topN.
        List<T> best() {
            List<T> ranked = new ArrayList<>();
            buckets.forEach((start, values) -> {
                DateTime time =
                        isOfAllTime() && first != null ? first : new DateTime(start, ISOChronology.getInstanceUTC());
                TopNResultBuilder builder = TopNMerge.builder(query, time);
                for (Object[] row : values.rows()) {
                    builder.addEntry((Comparable<?>) row[0], null, Arrays.copyOfRange(row, 1, row.length));
                }
                ranked.add((T) builder.build());
            });
            return ranked;
        }

        private boolean isOfAllTime() {
            return Granularities.ALL.equals(query.getGranularity());
        }

        /** Empty map in the order of a segment's dictionary: Druid's engine visits values in this order. */
        @SuppressWarnings({"unchecked", "rawtypes"}) // Values of one dimension are of one type.
        private static Map<Object, Object[]> values() {
            return new TreeMap<>((Comparator) Comparators.naturalNullsFirst());
        }
    }
}
