package io.uniserve.port.druid.query;

import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.port.druid.runtime.DruidErrors;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.runtime.QueryIds;
import io.uniserve.port.druid.segment.DruidActor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.druid.query.DirectQueryProcessingPool;
import org.apache.druid.query.FinalizeResultsQueryRunner;
import org.apache.druid.query.Queries;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryContexts;
import org.apache.druid.query.QueryPlus;
import org.apache.druid.query.QueryRunner;
import org.apache.druid.query.QueryRunnerFactory;
import org.apache.druid.query.QueryToolChest;
import org.apache.druid.query.ReferenceCountingSegmentQueryRunner;
import org.apache.druid.query.SegmentDescriptor;
import org.apache.druid.query.context.ResponseContext;
import org.apache.druid.query.spec.SpecificSegmentQueryRunner;
import org.apache.druid.query.spec.SpecificSegmentSpec;
import org.apache.druid.segment.ReferenceCountingSegment;
import org.apache.druid.segment.SegmentReference;

/**
 * Operator that runs a query on the segments of an actor, as Druid's data nodes do. It has one runner per segment and interval. The query
 * type's factory and tool chest merge their results. All work is on the operator's thread.
 */
public final class ActorQueryRunner {
    /** The operator of {@link SegmentQueryCalls#RESULTS}. */
    public static final RetrieveOperator<DruidActor, SegmentQuery<?>, PartialResults> RESULTS = RetrieveOperator.of(
            SegmentQueryCalls.RESULTS, DruidActor.class, ActorQueryRunner::run, new PartialResultsMerger());

    /** All operators. */
    public static final List<Operator<?, ?>> ALL = List.of(RESULTS);

    private ActorQueryRunner() {}

    private static PartialResults run(DruidActor actor, OperatorContext context, SegmentQuery<?> request) {
        return DruidErrors.DRUID.call(
                "run a query",
                () -> DruidServices.get()
                        .lookups()
                        .call(
                                actor.schema().lookups(),
                                () -> actor.read(segments -> run(actor.number(), segments, context, request.query()))));
    }

    private static <T> PartialResults run(
            int actor, List<ReferenceCountingSegment> segments, OperatorContext context, Query<T> asked) {
        TimeRange times = TimeRange.EMPTY;
        for (ReferenceCountingSegment segment : segments) {
            times = times.plus(TimeRange.of(segment));
        }
        List<SegmentPiece> pieces = SegmentPiece.of(
                segments,
                asked.getDataSourceAnalysis().getEffectiveQuerySegmentSpec().getIntervals());
        List<SegmentDescriptor> descriptors =
                pieces.stream().map(SegmentPiece::descriptor).toList();
        context.reportRowsScanned(RowsScanned.estimate(
                asked, pieces.stream().map(SegmentPiece::segment).toList(), descriptors));
        if (pieces.isEmpty()) {
            return PartialResults.of(actor, times, asked, List.of());
        }
        Query<T> query = Queries.withSpecificSegments(asked, descriptors)
                .withOverriddenContext(Map.of(
                        // Merge buffers are reserved by this id; each actor reserves its own.
                        QueryContexts.QUERY_RESOURCE_ID, QueryIds.next(),
                        QueryContexts.TIMEOUT_KEY, context.remainingMillis()));
        QueryRunnerFactory<T, Query<T>> factory =
                DruidServices.get().dataNodeFactories().conglomerate().findFactory(query);
        QueryToolChest<T, Query<T>> toolChest = factory.getToolchest();
        Function<SegmentReference, SegmentReference> mapping =
                query.getDataSource().createSegmentMapFunction(query);
        List<QueryRunner<T>> runners = new ArrayList<>();
        for (SegmentPiece piece : pieces) {
            EmptyBuckets.check(asked, TimeRange.of(piece.segment()), piece.overlap());
            runners.add(runner(factory, mapping.apply(piece.segment()), piece.descriptor(), context));
        }
        QueryRunner<T> merged = new FinalizeResultsQueryRunner<>(
                toolChest.mergeResults(factory.mergeRunners(DirectQueryProcessingPool.INSTANCE, runners), true),
                toolChest);
        ScanLimit limit = new ScanLimit();
        List<T> rows = merged.run(QueryPlus.wrap(query), ResponseContext.createEmpty())
                .map(row -> {
                    context.checkActive();
                    limit.add(query, row);
                    return row;
                })
                .toList();
        ExactTopN.check(asked, rows);
        return PartialResults.of(actor, times, asked, BucketTimes.aligned(asked, times, rows));
    }

    private static <T> QueryRunner<T> runner(
            QueryRunnerFactory<T, Query<T>> factory,
            SegmentReference segment,
            SegmentDescriptor descriptor,
            OperatorContext context) {
        QueryRunner<T> one = new SpecificSegmentQueryRunner<>(
                new ReferenceCountingSegmentQueryRunner<>(factory, segment, descriptor),
                new SpecificSegmentSpec(descriptor));
        return (plus, response) -> {
            context.checkActive();
            return one.run(plus, response);
        };
    }
}
