package io.uniserve.port.druid.sql;

import io.uniserve.error.UniserveException;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.runtime.QueryIds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.druid.query.QueryContexts;
import org.apache.druid.segment.column.RowSignature;
import org.apache.druid.server.security.AuthConfig;
import org.apache.druid.server.security.AuthenticationResult;
import org.apache.druid.server.security.AuthorizationResult;
import org.apache.druid.server.security.AuthorizerMapper;
import org.apache.druid.sql.calcite.planner.CalciteRulesManager;
import org.apache.druid.sql.calcite.planner.Calcites;
import org.apache.druid.sql.calcite.planner.CatalogResolver;
import org.apache.druid.sql.calcite.planner.DruidOperatorTable;
import org.apache.druid.sql.calcite.planner.DruidPlanner;
import org.apache.druid.sql.calcite.planner.PlannerConfig;
import org.apache.druid.sql.calcite.planner.PlannerFactory;
import org.apache.druid.sql.calcite.planner.PlannerResult;
import org.apache.druid.sql.calcite.schema.DruidSchemaCatalog;
import org.apache.druid.sql.calcite.table.RowSignatures;
import org.apache.druid.sql.hook.DruidHookDispatcher;
import org.joda.time.DateTimeZone;
import org.joda.time.format.ISODateTimeFormat;

/**
 * Druid's own planner of SQL. An object builds the function table and the rules once; each statement has its own schemas.
 *
 * <p>Thread-safe. Errors: INVALID_ARGUMENT for wrong statements, with line and column if the planner reports them; UNSUPPORTED for valid
 * statements that no native query can answer.
 *
 * <pre>{@code
 * SqlResult result = planner.run(request, name -> signatures.of(name), queries);
 * }</pre>
 */
public final class DruidSqlPlanner {
    private static final AuthenticationResult CALLER =
            new AuthenticationResult("uniserve", "uniserve", "uniserve", Map.of());
    private static final AuthorizerMapper AUTHORIZERS = new OpenAuthorizers();

    private final DruidServices services;
    private final DruidOperatorTable operators;
    private final CalciteRulesManager rules = new CalciteRulesManager(Set.of());

    /** Builds the function table. */
    public DruidSqlPlanner(DruidServices services) {
        this.services = services;
        this.operators = ContextClassLoader.call(() -> SqlOperators.create(services));
    }

    /**
     * Plans and executes a statement.
     *
     * @param tables returns a table's columns by its name; empty if there is no such table
     * @param queries executes the plan's native queries
     */
    public SqlResult run(SqlRequest request, Function<String, Optional<RowSignature>> tables, NativeQueries queries) {
        try {
            return ContextClassLoader.call(() -> planned(request, tables, queries));
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            throw SqlErrors.of(e);
        }
    }

    private SqlResult planned(
            SqlRequest request, Function<String, Optional<RowSignature>> tables, NativeQueries queries) {
        Map<String, Object> context = new HashMap<>(request.context());
        context.putIfAbsent(QueryContexts.CTX_SQL_QUERY_ID, QueryIds.next());
        if (context.containsKey(QueryContexts.BY_SEGMENT_KEY)) {
            throw UniserveException.unsupported("context key " + QueryContexts.BY_SEGMENT_KEY + " with SQL: remove it");
        }
        ClusterSqlEngine engine =
                new ClusterSqlEngine(queries, services.brokerFactories().conglomerate(), services.json());
        try (DruidPlanner planner = factory(tables).createPlanner(engine, request.sql(), context, null)) {
            planner.getPlannerContext().setAuthenticationResult(CALLER);
            planner.getPlannerContext().setParameters(request.parameters());
            planner.validate();
            planner.authorize(resources -> AuthorizationResult.ALLOW_NO_RESTRICTION, Set.of());
            PlannerResult result = planner.plan();
            DateTimeZone zone = planner.getPlannerContext().getTimeZone();
            return result(result.rowType(), result.run().getResults().toList(), zone);
        }
    }

    private PlannerFactory factory(Function<String, Optional<RowSignature>> tables) {
        DruidSchemaCatalog catalog = SqlCatalog.create(tables, services.lookups(), operators, AUTHORIZERS);
        return new PlannerFactory(
                catalog,
                operators,
                services.macros(),
                new PlannerConfig(),
                AUTHORIZERS,
                services.json(),
                SqlCatalog.DRUID,
                rules,
                services.joinableWrapper(),
                CatalogResolver.NULL_RESOLVER,
                new AuthConfig(),
                new DruidHookDispatcher());
    }

    private static SqlResult result(RelDataType type, List<Object[]> rows, DateTimeZone zone) {
        List<RelDataTypeField> fields = type.getFieldList();
        List<SqlTypeName> types =
                fields.stream().map(field -> field.getType().getSqlTypeName()).toList();
        for (Object[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                row[i] = text(row[i], types.get(i), zone);
            }
        }
        return new SqlResult(
                fields.stream().map(RelDataTypeField::getName).toList(),
                fields.stream().map(field -> name(field.getType())).toList(),
                rows);
    }

    private static String name(RelDataType type) {
        return type instanceof RowSignatures.ComplexSqlType complex
                ? complex.asTypeString()
                : type.getSqlTypeName().getName();
    }

    /** Times as ISO 8601 in the statement's time zone, as Druid's SQL API writes them; other values unchanged. */
    private static @org.jspecify.annotations.Nullable Object text(
            @org.jspecify.annotations.Nullable Object value, SqlTypeName type, DateTimeZone zone) {
        if (value instanceof Long millis && type == SqlTypeName.TIMESTAMP) {
            return ISODateTimeFormat.dateTime().print(Calcites.calciteTimestampToJoda(millis, zone));
        }
        if (value instanceof Integer days && type == SqlTypeName.DATE) {
            return ISODateTimeFormat.dateTime().print(Calcites.calciteDateToJoda(days, zone));
        }
        return value;
    }
}
