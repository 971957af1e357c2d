package io.uniserve.port.druid.query;

import io.uniserve.api.plan.PlanContext;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.segment.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.druid.java.util.common.guava.LazySequence;
import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.java.util.common.guava.Sequences;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryPlus;
import org.apache.druid.query.QueryRunner;
import org.apache.druid.query.QuerySegmentWalker;
import org.apache.druid.query.SegmentDescriptor;
import org.apache.druid.query.context.ResponseContext;
import org.apache.druid.query.groupby.GroupByQuery;
import org.apache.druid.query.groupby.GroupByQueryConfig;
import org.apache.druid.query.timeseries.TimeseriesQuery;
import org.apache.druid.segment.column.ValueType;
import org.joda.time.Interval;

/**
 * Sender of a query to the actors of its table, in place of CachingClusteredClient in Druid's broker. One object per query; use it on the
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
        throw UniserveException.unsupported("intervals of type segments: use type intervals");
    }

    private <T> Sequence<T> run(QueryPlus<T> plus, ResponseContext response) {
        Query<T> query = plus.getQuery();
        ActorQueryRules.check(query);
        TableName table = new TableName(
                query.getDataSourceAnalysis().getBaseTableDataSource().getName());
        String engine = context.table(table).port();
        if (!engine.equals("druid")) {
            throw UniserveException.unsupported(
                    "table " + table.value() + " in a Druid query: its engine is " + engine);
        }
        response.addRemainingResponse(query.getMostSpecificId(), 0);
        return new LazySequence<>(() -> {
            if (ExactTopN.applies(query)) {
                Query<T> all = ExactTopN.forActors(query);
                List<PartialResults> parts = retrieve(table, all);
                ExactTopN.Ranking<T> ranking = new ExactTopN.Ranking<>(query);
                PartialResults.decoded(all, parts, services.brokerFactories()).forEach(ranking::add);
                return merged(query, List.of(Sequences.simple(ranking.best()), EmptyBuckets.of(query, parts)));
            }
            if (query instanceof GroupByQuery groupBy && groupBy.isApplyLimitPushDown()) {
                return Sequences.simple(mergedWithoutPushDown(table, query));
            }
            Query<T> all = EmptyBuckets.forActors(query);
            List<PartialResults> parts = retrieve(table, all);
            if (query instanceof TimeseriesQuery timeseries && hasSketches(timeseries)) {
                List<T> rows = PartialResults.copied(
                        all,
                        PartialResults.mergedRows(all, parts, services.brokerFactories()),
                        services.brokerFactories());
                return merged(query, List.of(Sequences.simple(rows), EmptyBuckets.without(query, parts, rows)));
            }
            return merged(
                    query,
                    List.of(
                            PartialResults.sorted(query, parts, services.brokerFactories()),
                            EmptyBuckets.of(query, parts)));
        });
    }

    /**
     * Merges all groups of all actors; the broker's code applies the limit afterwards. A limit at the actors would give wrong groups: Druid
     * orders nulls of numeric dimensions differently in its buffers and in its merge.
     */
    private <T> List<T> mergedWithoutPushDown(TableName table, Query<T> query) {
        Query<T> all = query.withOverriddenContext(Map.of(GroupByQueryConfig.CTX_KEY_APPLY_LIMIT_PUSH_DOWN, false));
        List<T> groups =
                new ArrayList<>(PartialResults.mergedRows(all, retrieve(table, all), services.brokerFactories()));
        groups.sort(query.getResultOrdering());
        return groups;
    }

    /**
     * Returns whether the query has sketches. Druid adds each row of a timeseries to its grand total, which changes theta sketches that a merge
     * returned. So these rows are merged here, and the broker's code gets copies.
     */
    private static boolean hasSketches(TimeseriesQuery query) {
        return query.getAggregatorSpecs().stream()
                .anyMatch(aggregator -> aggregator.getIntermediateType().is(ValueType.COMPLEX));
    }

    private static <T> Sequence<T> merged(Query<T> query, List<Sequence<T>> sorted) {
        return Sequences.simple(sorted).flatMerge(sequence -> sequence, query.getResultOrdering());
    }

    private List<PartialResults> retrieve(TableName table, Query<?> query) {
        SegmentQuery<?> request = new SegmentQuery<>(query);
        if (!(context.table(table).partitioner() instanceof Partitioner.Time time)) {
            return context.retrieve(table, SegmentQueryCalls.RESULTS, request, values -> values);
        }
        ChunkSelection chunks = ChunkSelection.of(
                context.actors(table), time, TableSchema.of(context.table(table)), query.getIntervals());
        List<PartialResults> parts = new ArrayList<>(List.of(PartialResults.none(chunks.others())));
        if (!chunks.actors().isEmpty()) {
            parts.addAll(context.retrieve(
                    table, chunks.actors(), SegmentQueryCalls.RESULTS, request, values -> List.copyOf(values)));
        }
        return parts;
    }
}
