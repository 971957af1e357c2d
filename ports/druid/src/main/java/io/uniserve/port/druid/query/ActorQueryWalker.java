package io.uniserve.port.druid.query;

import io.uniserve.api.plan.PlanContext;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.port.druid.runtime.DruidServices;
import java.util.List;
import org.apache.druid.java.util.common.guava.LazySequence;
import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.java.util.common.guava.Sequences;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryPlus;
import org.apache.druid.query.QueryRunner;
import org.apache.druid.query.QuerySegmentWalker;
import org.apache.druid.query.SegmentDescriptor;
import org.apache.druid.query.context.ResponseContext;
import org.joda.time.Interval;

/**
 * Runner of one query's requests to actors, in the place of CachingClusteredClient in Druid's broker. One object per query; use it on the
 * planner's thread.
 */
final class ActorQueryWalker implements QuerySegmentWalker {
    private final DruidServices services;
    private final PlanContext context;

    ActorQueryWalker(DruidServices services, PlanContext context) {
        this.services = services;
        this.context = context;
    }

    @Override
    public <T> QueryRunner<T> getQueryRunnerForIntervals(Query<T> query, Iterable<Interval> intervals) {
        return this::run;
    }

    @Override
    public <T> QueryRunner<T> getQueryRunnerForSegments(Query<T> query, Iterable<SegmentDescriptor> segments) {
        throw UniserveException.unsupported("queries of segments by name (intervals of type segments)");
    }

    private <T> Sequence<T> run(QueryPlus<T> plus, ResponseContext response) {
        Query<T> query = plus.getQuery();
        ActorQueryRules.check(query);
        TableName table = new TableName(
                query.getDataSourceAnalysis().getBaseTableDataSource().getName());
        response.addRemainingResponse(query.getMostSpecificId(), 0);
        return new LazySequence<>(() -> {
            if (ExactTopN.applies(query)) {
                Query<T> all = ExactTopN.forActors(query);
                List<PartialResults> parts = retrieve(table, all);
                return Sequences.simple(ExactTopN.rank(query, PartialResults.decoded(all, parts, services.planning())));
            }
            return PartialResults.sorted(query, retrieve(table, query), services.planning());
        });
    }

    private List<PartialResults> retrieve(TableName table, Query<?> query) {
        return context.retrieve(table, SegmentQueryCalls.RESULTS, new SegmentQuery<>(query), values -> values);
    }
}
