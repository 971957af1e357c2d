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
 * Check for queries that Druid evaluates correctly on one node only: their serialized form is another query, or partial results cannot be
 * merged. Native Druid gives wrong answers with several data nodes; here these queries are refused. Stateless.
 */
final class ActorQueryRules {
    private static final Set<Class<?>> ANY_VALUE = Set.of(
            DoubleAnyAggregatorFactory.class,
            FloatAnyAggregatorFactory.class,
            LongAnyAggregatorFactory.class,
            StringAnyAggregatorFactory.class);

    private ActorQueryRules() {}

    /** Fails with UNSUPPORTED, with the name of the part that actors cannot evaluate. */
    static void check(Query<?> query) {
        if (query.context().isBySegment()) {
            throw UniserveException.unsupported("context key bySegment: remove it; segments' results are merged");
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
                // A segment without a matching row returns null. A merge could take this null for a value.
                throw UniserveException.unsupported("aggregator \"" + aggregator.getName()
                        + "\" of any value in type filtered: move the filter to the query, or use a minimum");
            }
            check(filtered.getAggregator());
        } else if (aggregator instanceof ExpressionLambdaAggregatorFactory expression) {
            check(expression);
        }
    }

    private static void check(ExpressionLambdaAggregatorFactory expression) {
        if (expression.getFields() != null && expression.getFields().isEmpty()) {
            // Druid does not serialize the empty list. Without it the aggregator combines instead of folding.
            throw UniserveException.unsupported("aggregator \"" + expression.getName()
                    + "\" of type expression with empty \"fields\": name a column there, or use type count");
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
