package io.uniserve.port.druid.query;

import io.uniserve.error.UniserveException;
import java.util.List;
import java.util.Set;
import org.apache.druid.query.DataSource;
import org.apache.druid.query.GlobalTableDataSource;
import org.apache.druid.query.JoinDataSource;
import org.apache.druid.query.Query;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.query.aggregation.ExpressionLambdaAggregatorFactory;
import org.apache.druid.query.aggregation.FilteredAggregatorFactory;
import org.apache.druid.query.aggregation.any.DoubleAnyAggregatorFactory;
import org.apache.druid.query.aggregation.any.FloatAnyAggregatorFactory;
import org.apache.druid.query.aggregation.any.LongAnyAggregatorFactory;
import org.apache.druid.query.aggregation.any.StringAnyAggregatorFactory;
import org.apache.druid.query.groupby.GroupByQuery;
import org.apache.druid.query.timeseries.TimeseriesQuery;
import org.apache.druid.query.topn.TopNQuery;
import org.apache.druid.segment.column.ColumnType;
import org.apache.druid.segment.column.ValueType;

/**
 * Rules of queries that Druid can evaluate on one node only, because their serialized form is another query, or their results have no
 * serialized form. Native Druid answers them wrongly with several data nodes; here they are refused. Stateless.
 */
final class ActorQueryRules {
    private static final Set<Class<?>> ANY_VALUE = Set.of(
            DoubleAnyAggregatorFactory.class,
            FloatAnyAggregatorFactory.class,
            LongAnyAggregatorFactory.class,
            StringAnyAggregatorFactory.class);

    private ActorQueryRules() {}

    /** Fails with UNSUPPORTED and the name of what actors cannot evaluate. */
    static void check(Query<?> query) {
        if (query.context().isBySegment()) {
            throw UniserveException.unsupported("context key bySegment: remove it, results are of all segments");
        }
        check(query.getDataSource());
        aggregators(query).forEach(ActorQueryRules::check);
    }

    private static void check(DataSource source) {
        if (source instanceof GlobalTableDataSource) {
            throw UniserveException.unsupported("data source " + source + " of type globalTable: use type table");
        }
        if (source instanceof JoinDataSource join && join.getJoinType().isRighty()) {
            // Each segment would return the rows of the right side that match none of its own rows.
            throw UniserveException.unsupported("a join of type " + join.getJoinType()
                    + " with a table on the left: exchange the sides and use LEFT, or put the table into a subquery");
        }
        source.getChildren().forEach(ActorQueryRules::check);
    }

    private static List<AggregatorFactory> aggregators(Query<?> query) {
        if (query instanceof TimeseriesQuery timeseries) {
            return timeseries.getAggregatorSpecs();
        }
        if (query instanceof TopNQuery topN) {
            return topN.getAggregatorSpecs();
        }
        return query instanceof GroupByQuery groupBy ? groupBy.getAggregatorSpecs() : List.of();
    }

    private static void check(AggregatorFactory aggregator) {
        if (aggregator instanceof FilteredAggregatorFactory filtered) {
            if (ANY_VALUE.contains(filtered.getAggregator().getClass())) {
                // A segment without a matching row returns null, which is taken for a value when results are merged.
                throw UniserveException.unsupported("aggregator \"" + aggregator.getName()
                        + "\" of any value with a filter: put the filter into the query, or use a minimum");
            }
            check(filtered.getAggregator());
        } else if (aggregator instanceof ExpressionLambdaAggregatorFactory expression) {
            check(expression);
        }
    }

    private static void check(ExpressionLambdaAggregatorFactory expression) {
        if (expression.getFields() != null && expression.getFields().isEmpty()) {
            // Druid does not serialize the empty list, and without it the aggregator combines instead of folding.
            throw UniserveException.unsupported("aggregator \"" + expression.getName()
                    + "\" of type expression with no fields: name a column in \"fields\", or use type count");
        }
        ColumnType type = expression.getIntermediateType();
        boolean complex = type.is(ValueType.COMPLEX)
                || type.isArray()
                        && type.getElementType() != null
                        && type.getElementType().is(ValueType.COMPLEX);
        if (complex) {
            throw UniserveException.unsupported(
                    "aggregator \"" + expression.getName() + "\" of type expression over values of type "
                            + type.asTypeString() + ": use an aggregator of that type");
        }
    }
}
