package io.uniserve.port.druid.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.Document;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.runtime.QueryIds;
import io.uniserve.port.druid.segment.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.druid.data.input.InputRowSchema;
import org.apache.druid.data.input.impl.MapInputRowParser;
import org.apache.druid.java.util.common.Intervals;
import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.java.util.common.guava.Sequences;
import org.apache.druid.query.DirectQueryProcessingPool;
import org.apache.druid.query.FinalizeResultsQueryRunner;
import org.apache.druid.query.Queries;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryContexts;
import org.apache.druid.query.QueryPlus;
import org.apache.druid.query.QueryRunner;
import org.apache.druid.query.QueryRunnerFactory;
import org.apache.druid.query.QuerySegmentWalker;
import org.apache.druid.query.QueryToolChest;
import org.apache.druid.query.ReferenceCountingSegmentQueryRunner;
import org.apache.druid.query.SegmentDescriptor;
import org.apache.druid.query.context.ResponseContext;
import org.apache.druid.query.spec.SpecificSegmentQueryRunner;
import org.apache.druid.query.spec.SpecificSegmentSpec;
import org.apache.druid.segment.IndexSpec;
import org.apache.druid.segment.QueryableIndexSegment;
import org.apache.druid.segment.ReferenceCountingSegment;
import org.apache.druid.segment.incremental.IncrementalIndexSchema;
import org.apache.druid.segment.incremental.OnheapIncrementalIndex;
import org.apache.druid.segment.indexing.DataSchema;
import org.apache.druid.timeline.SegmentId;
import org.joda.time.Interval;

/** One Druid in this process: all rows of a table in one segment, Druid's own factories, and its broker's merge. */
public final class OneDruid implements QuerySegmentWalker {
    private final DruidServices services = DruidServices.get();
    private final Map<String, ReferenceCountingSegment> tables = new HashMap<>();

    /** Adds a table with these rows. */
    public OneDruid with(TableMeta meta, List<Document> rows, Path directory) throws Exception {
        DataSchema schema = TableSchema.of(meta).dataSchema();
        OnheapIncrementalIndex index = (OnheapIncrementalIndex) new OnheapIncrementalIndex.Builder()
                .setIndexSchema(IncrementalIndexSchema.builder()
                        .withTimestampSpec(schema.getTimestampSpec())
                        .withQueryGranularity(schema.getGranularitySpec().getQueryGranularity())
                        .withDimensionsSpec(schema.getDimensionsSpec())
                        .withMetrics(schema.getAggregators())
                        .withRollup(schema.getGranularitySpec().isRollup())
                        .build())
                .setMaxRowCount(1_000_000)
                .build();
        InputRowSchema reading = new InputRowSchema(schema.getTimestampSpec(), schema.getDimensionsSpec(), null);
        for (Document row : rows) {
            Map<String, Object> fields = new HashMap<>(row.fields());
            fields.values().removeIf(value -> value instanceof List<?> list && list.isEmpty());
            index.add(MapInputRowParser.parse(reading, fields));
        }
        Path target =
                Files.createDirectories(directory.resolve("one-" + meta.name().value()));
        services.merger().persist(index, Intervals.ETERNITY, target.toFile(), IndexSpec.DEFAULT, null);
        tables.put(
                meta.name().value(),
                ReferenceCountingSegment.wrapRootGenerationSegment(new QueryableIndexSegment(
                        services.indexIo().loadIndex(target.toFile()),
                        SegmentId.of(meta.name().value(), Intervals.ETERNITY, "v1", 0))));
        return this;
    }

    /** Answers a query as the planner of the port does. */
    public JsonNode answer(String json) throws Exception {
        return answer(services.json().readValue(json, Query.class));
    }

    private <T> JsonNode answer(Query<T> query) throws IOException {
        List<T> rows = new NativeQueryRunner(services).run(query, this, 300_000).toList();
        QueryToolChest<T, Query<T>> toolChest =
                services.brokerFactories().conglomerate().getToolChest(query);
        ObjectMapper mapper =
                toolChest == null ? services.json() : toolChest.decorateObjectMapper(services.json(), query);
        return services.json().readTree(mapper.writeValueAsBytes(rows));
    }

    @Override
    public <T> QueryRunner<T> getQueryRunnerForIntervals(Query<T> query, Iterable<Interval> intervals) {
        return (plus, response) -> {
            response.addRemainingResponse(plus.getQuery().getMostSpecificId(), 0);
            return run(plus.getQuery());
        };
    }

    private <T> Sequence<T> run(Query<T> asked) {
        ReferenceCountingSegment segment = tables.get(
                asked.getDataSourceAnalysis().getBaseTableDataSource().getName());
        List<SegmentDescriptor> descriptors =
                asked.getDataSourceAnalysis().getEffectiveQuerySegmentSpec().getIntervals().stream()
                        .map(interval -> new SegmentDescriptor(interval, "v1", 0))
                        .toList();
        if (descriptors.isEmpty()) {
            return Sequences.empty();
        }
        Query<T> query = Queries.withSpecificSegments(asked, descriptors)
                .withOverriddenContext(Map.of(QueryContexts.QUERY_RESOURCE_ID, QueryIds.next()));
        QueryRunnerFactory<T, Query<T>> factory =
                services.dataNodeFactories().conglomerate().findFactory(query);
        QueryToolChest<T, Query<T>> toolChest = factory.getToolchest();
        var mapping = query.getDataSource().createSegmentMapFunction(query);
        List<QueryRunner<T>> runners = descriptors.stream()
                .<QueryRunner<T>>map(descriptor -> new SpecificSegmentQueryRunner<>(
                        new ReferenceCountingSegmentQueryRunner<>(factory, mapping.apply(segment), descriptor),
                        new SpecificSegmentSpec(descriptor)))
                .toList();
        return new FinalizeResultsQueryRunner<>(
                        toolChest.mergeResults(factory.mergeRunners(DirectQueryProcessingPool.INSTANCE, runners), true),
                        toolChest)
                .run(QueryPlus.wrap(query), ResponseContext.createEmpty());
    }

    @Override
    public <T> QueryRunner<T> getQueryRunnerForSegments(Query<T> query, Iterable<SegmentDescriptor> segments) {
        throw new UnsupportedOperationException();
    }
}
