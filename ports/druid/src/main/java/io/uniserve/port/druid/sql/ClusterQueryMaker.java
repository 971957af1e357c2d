package io.uniserve.port.druid.sql;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.port.druid.runtime.QueryIds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.runtime.Hook;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.druid.error.DruidException;
import org.apache.druid.java.util.common.Intervals;
import org.apache.druid.java.util.common.UOE;
import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.java.util.common.guava.Sequences;
import org.apache.druid.query.InlineDataSource;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryRunnerFactoryConglomerate;
import org.apache.druid.query.QueryToolChest;
import org.apache.druid.query.context.ResponseContext;
import org.apache.druid.query.filter.BoundDimFilter;
import org.apache.druid.query.filter.OrDimFilter;
import org.apache.druid.query.ordering.StringComparators;
import org.apache.druid.query.timeseries.TimeseriesQuery;
import org.apache.druid.segment.column.ColumnHolder;
import org.apache.druid.server.QueryResponse;
import org.apache.druid.sql.calcite.planner.PlannerConfig;
import org.apache.druid.sql.calcite.planner.PlannerContext;
import org.apache.druid.sql.calcite.rel.CannotBuildQueryException;
import org.apache.druid.sql.calcite.rel.DruidQuery;
import org.apache.druid.sql.calcite.run.QueryMaker;
import org.apache.druid.sql.calcite.run.SqlResults;
import org.apache.druid.sql.hook.DruidHook;

/**
 * Executor of one planned statement. It runs the native query and maps its results to rows with the statement's columns and SQL types, as
 * Druid's native engine does. Used by one thread.
 */
final class ClusterQueryMaker implements QueryMaker {
    private final NativeQueries queries;
    private final QueryRunnerFactoryConglomerate conglomerate;
    private final ObjectMapper json;
    private final PlannerContext planner;
    private final List<Map.Entry<Integer, String>> fields;

    ClusterQueryMaker(
            NativeQueries queries,
            QueryRunnerFactoryConglomerate conglomerate,
            ObjectMapper json,
            PlannerContext planner,
            List<Map.Entry<Integer, String>> fields) {
        this.queries = queries;
        this.conglomerate = conglomerate;
        this.json = json;
        this.planner = planner;
        this.fields = fields;
    }

    @Override
    public QueryResponse<Object[]> runQuery(DruidQuery planned) {
        Query<?> query = planned.getQuery();
        checkTimeCondition(planned, query);
        checkNumbersOfIn(query);
        Hook.QUERY_PLAN.run(query);
        planner.dispatchHook(DruidHook.NATIVE_PLAN, query);
        return new QueryResponse<>(run(named(query), planned), ResponseContext.createEmpty());
    }

    /** Fails if the planner's configuration requires a condition on the time column and the query has none. */
    private void checkTimeCondition(DruidQuery planned, Query<?> query) {
        if (planner.getPlannerConfig().isRequireTimeCondition()
                && !(planned.getDataSource() instanceof InlineDataSource)
                && Intervals.ONLY_ETERNITY.equals(query.getDataSourceAnalysis()
                        .getEffectiveQuerySegmentSpec()
                        .getIntervals())) {
            throw new CannotBuildQueryException(
                    "requireTimeCondition is enabled, all queries must include a filter condition on the __time"
                            + " column");
        }
    }

    /** Fails if the planner has translated an IN of numbers into more filters than its configuration permits. */
    private void checkNumbersOfIn(Query<?> query) {
        int max = planner.getPlannerConfig().getMaxNumericInFilters();
        if (max == PlannerConfig.NUM_FILTER_NOT_USED || !(query.getFilter() instanceof OrDimFilter or)) {
            return;
        }
        List<BoundDimFilter> numeric = or.getFields().stream()
                .filter(BoundDimFilter.class::isInstance)
                .map(BoundDimFilter.class::cast)
                .filter(bound -> StringComparators.NUMERIC.equals(bound.getOrdering()))
                .toList();
        if (numeric.size() > max) {
            throw new UOE(
                    "The number of values in the IN clause for [%s] in query exceeds configured maxNumericFilter limit"
                            + " of [%s] for INs. Cast [%s] values of IN clause to String",
                    numeric.get(max).getDimension(), max, or.getFields().size());
        }
    }

    private <T> Query<T> named(Query<T> query) {
        Query<T> named = query.getId() == null ? query.withId(QueryIds.next()) : query;
        planner.addNativeQueryId(named.getId());
        return named.withSqlQueryId(planner.getSqlQueryId())
                .withDataSource(named.getDataSource()
                        .withPolicies(planner.getAuthorizationResult().getPolicyMap()));
    }

    private <T> Sequence<Object[]> run(Query<T> query, DruidQuery planned) {
        QueryToolChest<T, Query<T>> toolChest = conglomerate.getToolChest(query);
        if (toolChest == null) {
            throw DruidException.defensive("No tool chest for queries of type [%s]", query.getType());
        }
        List<String> names = toolChest.resultArraySignature(query).getColumnNames();
        Sequence<Object[]> arrays = toolChest.resultsAsArrays(query, queries.run(query));
        int[] places = places(names, planned);
        SqlTypeName[] types = types(planned);
        SqlResults.Context coercion = SqlResults.Context.fromPlannerContext(planner);
        return Sequences.map(arrays, array -> {
            Object[] row = new Object[places.length];
            for (int i = 0; i < places.length; i++) {
                row[i] = SqlResults.coerce(json, coercion, array[places[i]], types[i], names.get(places[i]));
            }
            return row;
        });
    }

    private int[] places(List<String> names, DruidQuery planned) {
        Map<String, Integer> byName = new HashMap<>();
        for (int i = 0; i < names.size(); i++) {
            byName.put(names.get(i), i);
        }
        List<String> order = columns(planned);
        return fields.stream()
                .map(field -> order.get(field.getKey()))
                .mapToInt(name -> {
                    Integer place = byName.get(name);
                    if (place == null) {
                        throw DruidException.defensive("Column [%s] is not among the results' columns %s", name, names);
                    }
                    return place;
                })
                .toArray();
    }

    /** Names of the plan's columns. A timeseries has its only dimension in the time column of its results. */
    private static List<String> columns(DruidQuery planned) {
        List<String> names = planned.getOutputRowSignature().getColumnNames();
        if (!(planned.getQuery() instanceof TimeseriesQuery)
                || planned.getGrouping() == null
                || planned.getGrouping().getDimensions().isEmpty()) {
            return names;
        }
        String time = planned.getGrouping().getDimensions().get(0).getOutputName();
        return names.stream()
                .map(name -> name.equals(time) ? ColumnHolder.TIME_COLUMN_NAME : name)
                .toList();
    }

    private SqlTypeName[] types(DruidQuery planned) {
        List<RelDataTypeField> columns = planned.getOutputRowType().getFieldList();
        return fields.stream()
                .map(field -> columns.get(field.getKey()).getType())
                .map(RelDataType::getSqlTypeName)
                .toArray(SqlTypeName[]::new);
    }
}
