package io.uniserve.port.druid.query;

import java.util.List;
import java.util.Set;
import org.apache.druid.query.Query;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.query.aggregation.CountAggregatorFactory;
import org.apache.druid.query.aggregation.DoubleMaxAggregatorFactory;
import org.apache.druid.query.aggregation.DoubleMinAggregatorFactory;
import org.apache.druid.query.aggregation.DoubleSumAggregatorFactory;
import org.apache.druid.query.aggregation.FilteredAggregatorFactory;
import org.apache.druid.query.aggregation.FloatMaxAggregatorFactory;
import org.apache.druid.query.aggregation.FloatMinAggregatorFactory;
import org.apache.druid.query.aggregation.FloatSumAggregatorFactory;
import org.apache.druid.query.aggregation.GroupingAggregatorFactory;
import org.apache.druid.query.aggregation.LongMaxAggregatorFactory;
import org.apache.druid.query.aggregation.LongMinAggregatorFactory;
import org.apache.druid.query.aggregation.LongSumAggregatorFactory;
import org.apache.druid.query.aggregation.cardinality.CardinalityAggregatorFactory;
import org.apache.druid.query.aggregation.datasketches.hll.HllSketchBuildAggregatorFactory;
import org.apache.druid.query.aggregation.datasketches.hll.HllSketchMergeAggregatorFactory;
import org.apache.druid.query.aggregation.datasketches.theta.SketchMergeAggregatorFactory;
import org.apache.druid.query.aggregation.hyperloglog.HyperUniquesAggregatorFactory;
import org.apache.druid.query.groupby.GroupByQuery;
import org.apache.druid.query.search.SearchQuery;
import org.apache.druid.query.timeboundary.TimeBoundaryQuery;
import org.apache.druid.query.timeseries.TimeseriesQuery;
import org.apache.druid.query.topn.TopNQuery;

/**
 * Decision whether servers may merge a query's results in any order. For other queries the order of actors and segments decides the answer,
 * as the order of segments does in Druid. Examples are scans, lists, any values, and first or last values of equal times. Stateless.
 */
final class MergeOrder {
    private static final Set<Class<?>> COMMUTATIVE = Set.of(
            CountAggregatorFactory.class,
            LongSumAggregatorFactory.class,
            LongMinAggregatorFactory.class,
            LongMaxAggregatorFactory.class,
            DoubleSumAggregatorFactory.class,
            DoubleMinAggregatorFactory.class,
            DoubleMaxAggregatorFactory.class,
            FloatSumAggregatorFactory.class,
            FloatMinAggregatorFactory.class,
            FloatMaxAggregatorFactory.class,
            GroupingAggregatorFactory.class,
            CardinalityAggregatorFactory.class,
            HyperUniquesAggregatorFactory.class,
            HllSketchBuildAggregatorFactory.class,
            HllSketchMergeAggregatorFactory.class,
            SketchMergeAggregatorFactory.class);

    private MergeOrder() {}

    /** Returns whether results depend on the order in which those of actors are merged. */
    static boolean isOrderSensitive(Query<?> query) {
        if (query instanceof TimeseriesQuery timeseries) {
            return !areCommutative(timeseries.getAggregatorSpecs());
        }
        if (query instanceof TopNQuery topN) {
            return !areCommutative(topN.getAggregatorSpecs());
        }
        if (query instanceof GroupByQuery groupBy) {
            return !areCommutative(groupBy.getAggregatorSpecs());
        }
        return !(query instanceof SearchQuery || query instanceof TimeBoundaryQuery);
    }

    private static boolean areCommutative(List<AggregatorFactory> aggregators) {
        return aggregators.stream().allMatch(MergeOrder::isCommutative);
    }

    private static boolean isCommutative(AggregatorFactory aggregator) {
        return aggregator instanceof FilteredAggregatorFactory filtered
                ? isCommutative(filtered.getAggregator())
                : COMMUTATIVE.contains(aggregator.getClass());
    }
}
