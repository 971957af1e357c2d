package io.uniserve.port.druid.sql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.druid.error.InvalidSqlInput;
import org.apache.druid.query.JoinAlgorithm;
import org.apache.druid.query.QueryRunnerFactoryConglomerate;
import org.apache.druid.query.groupby.GroupByQuery;
import org.apache.druid.query.timeboundary.TimeBoundaryQuery;
import org.apache.druid.sql.calcite.parser.DruidSqlInsert;
import org.apache.druid.sql.calcite.parser.DruidSqlReplace;
import org.apache.druid.sql.calcite.planner.PlannerContext;
import org.apache.druid.sql.calcite.rel.DruidQuery;
import org.apache.druid.sql.calcite.run.EngineFeature;
import org.apache.druid.sql.calcite.run.QueryMaker;
import org.apache.druid.sql.calcite.run.SqlEngine;
import org.apache.druid.sql.calcite.run.SqlEngines;
import org.apache.druid.sql.destination.IngestDestination;

/**
 * SQL engine that Druid's planner uses in Uniserve. The planner translates statements into native queries, as for Druid's engine "native", and
 * {@link NativeQueries} executes them. The engine has no feature to write, so the planner refuses INSERT and REPLACE.
 *
 * <p>Thread-safe if the {@link NativeQueries} are. The planner creates one object per statement.
 *
 * <pre>{@code
 * SqlEngine engine = new ClusterSqlEngine(queries, services.brokerFactories().conglomerate(), services.json());
 * DruidPlanner planner = plannerFactory.createPlanner(engine, "SELECT COUNT(*) FROM events", context, null);
 * }</pre>
 */
public class ClusterSqlEngine implements SqlEngine {
    private static final Set<EngineFeature> FEATURES = Set.of(
            EngineFeature.CAN_SELECT,
            EngineFeature.ALLOW_BINDABLE_PLAN,
            EngineFeature.TIMESERIES_QUERY,
            EngineFeature.TOPN_QUERY,
            EngineFeature.GROUPING_SETS,
            EngineFeature.WINDOW_FUNCTIONS,
            EngineFeature.UNNEST,
            EngineFeature.ALLOW_BROADCAST_RIGHTY_JOIN,
            EngineFeature.ALLOW_TOP_LEVEL_UNION_ALL,
            EngineFeature.TIME_BOUNDARY_QUERY,
            EngineFeature.GROUPBY_IMPLICITLY_SORTS);

    /** Keys of the query context that the planner sets itself. */
    private static final Set<String> RESERVED_KEYS = Set.of(
            TimeBoundaryQuery.MAX_TIME_ARRAY_OUTPUT_NAME,
            TimeBoundaryQuery.MIN_TIME_ARRAY_OUTPUT_NAME,
            GroupByQuery.CTX_TIMESTAMP_RESULT_FIELD,
            GroupByQuery.CTX_TIMESTAMP_RESULT_FIELD_GRANULARITY,
            GroupByQuery.CTX_TIMESTAMP_RESULT_FIELD_INDEX,
            DruidQuery.CTX_SCAN_SIGNATURE,
            DruidSqlInsert.SQL_INSERT_SEGMENT_GRANULARITY,
            DruidSqlReplace.SQL_REPLACE_TIME_CHUNKS);

    private static final String NAME = "native";

    private final NativeQueries queries;
    private final QueryRunnerFactoryConglomerate conglomerate;
    private final ObjectMapper json;

    /** Creates an engine that executes native queries with this object. */
    public ClusterSqlEngine(NativeQueries queries, QueryRunnerFactoryConglomerate conglomerate, ObjectMapper json) {
        this.queries = queries;
        this.conglomerate = conglomerate;
        this.json = json;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean featureAvailable(EngineFeature feature) {
        return FEATURES.contains(feature);
    }

    @Override
    public void validateContext(Map<String, Object> queryContext) {
        SqlEngines.validateNoSpecialContextKeys(queryContext, RESERVED_KEYS);
        JoinAlgorithm join = PlannerContext.getJoinAlgorithm(queryContext);
        if (join != JoinAlgorithm.BROADCAST) {
            throw InvalidSqlInput.exception("Join algorithm [%s] is not supported by engine [%s]", join, NAME);
        }
    }

    @Override
    public RelDataType resultTypeForSelect(
            RelDataTypeFactory types, RelDataType validated, Map<String, Object> queryContext) {
        return validated;
    }

    @Override
    public RelDataType resultTypeForInsert(
            RelDataTypeFactory types, RelDataType validated, Map<String, Object> queryContext) {
        throw new UnsupportedOperationException("INSERT");
    }

    @Override
    public QueryMaker buildQueryMakerForSelect(RelRoot root, PlannerContext planner) {
        return new ClusterQueryMaker(queries, conglomerate, json, planner, root.fields);
    }

    @Override
    public QueryMaker buildQueryMakerForInsert(IngestDestination destination, RelRoot root, PlannerContext planner) {
        throw new UnsupportedOperationException("INSERT");
    }
}
