package io.uniserve.port.druid.query;

import io.uniserve.api.plan.PlanContext;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.runtime.QueryIds;
import java.util.List;
import java.util.Map;
import org.apache.druid.query.BaseQuery;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryContexts;
import org.apache.druid.query.QueryPlus;
import org.apache.druid.query.context.ResponseContext;

/** Access to the runner that takes the place of the HTTP client of Druid's broker, for tests whose own code merges and finalizes. */
public final class PartialQueries {
    private PartialQueries() {}

    /** Runs a query on all actors; the results are not merged across servers, and not final. */
    public static <T> List<T> run(Query<T> query, PlanContext context) {
        Query<T> partial = query.withOverriddenContext(
                Map.of(QueryContexts.FINALIZE_KEY, false, BaseQuery.QUERY_ID, QueryIds.next()));
        return new ActorQueryWalker(DruidServices.get(), context)
                .getQueryRunnerForIntervals(partial, partial.getIntervals())
                .run(QueryPlus.wrap(partial), ResponseContext.createEmpty())
                .toList();
    }
}
