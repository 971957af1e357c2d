package io.uniserve.port.druid.query;

import io.uniserve.api.plan.PlanContext;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.runtime.QueryIds;
import java.util.Map;
import org.apache.druid.client.DirectDruidClient;
import org.apache.druid.client.cache.CacheConfig;
import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryContexts;
import org.apache.druid.query.QueryPlus;
import org.apache.druid.query.QuerySegmentWalker;
import org.apache.druid.query.RetryQueryRunnerConfig;
import org.apache.druid.server.ClientQuerySegmentWalker;
import org.apache.druid.server.LocalQuerySegmentWalker;
import org.apache.druid.server.QueryScheduler;
import org.apache.druid.server.SubqueryGuardrailHelper;
import org.apache.druid.server.initialization.ServerConfig;
import org.apache.druid.server.metrics.SubqueryCountStatsProvider;
import org.apache.druid.server.scheduling.ManualQueryPrioritizationStrategy;
import org.apache.druid.server.scheduling.NoQueryLaningStrategy;

/**
 * Runner of parsed native queries: Druid's own broker code over Uniserve's actors. The broker's walker inlines subqueries, converts joins,
 * and merges with the tool chests; {@link ActorQueryWalker} takes the place of its HTTP client.
 *
 * <p>Thread-safe. Results are those of Druid's broker, finalized, in its order.
 *
 * <pre>{@code
 * Query<?> query = services.json().readValue(text, Query.class);
 * List<?> rows = new NativeQueryRunner(DruidServices.get()).run(query, context).toList();
 * }</pre>
 */
public final class NativeQueryRunner {
    private final DruidServices services;
    private final ServerConfig config = new ServerConfig();
    private final LocalQuerySegmentWalker local;

    /** Creates a runner over the process's services. */
    public NativeQueryRunner(DruidServices services) {
        this.services = services;
        this.local = new LocalQuerySegmentWalker(
                services.brokerFactories().conglomerate(),
                services.wrangler(),
                services.joinableWrapper(),
                new QueryScheduler(
                        0,
                        new ManualQueryPrioritizationStrategy(),
                        new NoQueryLaningStrategy(),
                        config,
                        services.emitter()),
                services.emitter());
    }

    /**
     * Runs a query. Its data sources are tables by name, inline data and lookups, and queries, unions and joins of these.
     *
     * @return the results; they are computed while the caller reads them, on the same thread and before the planner returns
     */
    public <T> Sequence<T> run(Query<T> query, PlanContext context) {
        return run(query, new ActorQueryWalker(services, context), Math.max(1, context.remainingNanos() / 1_000_000));
    }

    /** Runs a query with this walker of tables, and a timeout in milliseconds. */
    <T> Sequence<T> run(Query<T> query, QuerySegmentWalker tables, long millis) {
        QuerySegmentWalker broker = new ClientQuerySegmentWalker(
                services.emitter(),
                tables,
                local,
                services.brokerFactories().conglomerate(),
                services.joinables(),
                new RetryQueryRunnerConfig(),
                services.json(),
                config,
                new NoCache(),
                new CacheConfig(),
                new SubqueryGuardrailHelper(
                        services.lookups(), Runtime.getRuntime().maxMemory(), 1),
                new SubqueryCountStatsProvider());
        Query<T> named = query.getId() == null ? query.withId(QueryIds.next()) : query;
        Query<T> bounded = named.withOverriddenContext(Map.of(
                QueryContexts.TIMEOUT_KEY,
                named.context().hasTimeout() ? Math.min(millis, named.context().getTimeout()) : millis));
        Query<T> exact = ExactTopN.withAllValues(bounded);
        return exact.getRunner(broker).run(QueryPlus.wrap(exact), DirectDruidClient.makeResponseContextForQuery());
    }
}
