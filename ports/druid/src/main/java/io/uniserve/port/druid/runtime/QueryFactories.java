package io.uniserve.port.druid.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.druid.collections.DefaultBlockingPool;
import org.apache.druid.collections.NonBlockingPool;
import org.apache.druid.collections.StupidPool;
import org.apache.druid.java.util.common.HumanReadableBytes;
import org.apache.druid.query.DefaultGenericQueryMetricsFactory;
import org.apache.druid.query.DefaultQueryRunnerFactoryConglomerate;
import org.apache.druid.query.DruidProcessingBufferConfig;
import org.apache.druid.query.DruidProcessingConfig;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryRunnerFactory;
import org.apache.druid.query.QueryRunnerFactoryConglomerate;
import org.apache.druid.query.QueryToolChest;
import org.apache.druid.query.QueryWatcher;
import org.apache.druid.query.datasourcemetadata.DataSourceMetadataQuery;
import org.apache.druid.query.datasourcemetadata.DataSourceMetadataQueryRunnerFactory;
import org.apache.druid.query.datasourcemetadata.DataSourceQueryQueryToolChest;
import org.apache.druid.query.groupby.GroupByQuery;
import org.apache.druid.query.groupby.GroupByQueryConfig;
import org.apache.druid.query.groupby.GroupByQueryQueryToolChest;
import org.apache.druid.query.groupby.GroupByQueryRunnerFactory;
import org.apache.druid.query.groupby.GroupByResourcesReservationPool;
import org.apache.druid.query.groupby.GroupByStatsProvider;
import org.apache.druid.query.groupby.GroupingEngine;
import org.apache.druid.query.metadata.SegmentMetadataQueryConfig;
import org.apache.druid.query.metadata.SegmentMetadataQueryQueryToolChest;
import org.apache.druid.query.metadata.SegmentMetadataQueryRunnerFactory;
import org.apache.druid.query.metadata.metadata.SegmentMetadataQuery;
import org.apache.druid.query.operator.WindowOperatorQuery;
import org.apache.druid.query.operator.WindowOperatorQueryQueryRunnerFactory;
import org.apache.druid.query.scan.ScanQuery;
import org.apache.druid.query.scan.ScanQueryConfig;
import org.apache.druid.query.scan.ScanQueryEngine;
import org.apache.druid.query.scan.ScanQueryQueryToolChest;
import org.apache.druid.query.scan.ScanQueryRunnerFactory;
import org.apache.druid.query.search.SearchQuery;
import org.apache.druid.query.search.SearchQueryConfig;
import org.apache.druid.query.search.SearchQueryQueryToolChest;
import org.apache.druid.query.search.SearchQueryRunnerFactory;
import org.apache.druid.query.search.SearchStrategySelector;
import org.apache.druid.query.timeboundary.TimeBoundaryQuery;
import org.apache.druid.query.timeboundary.TimeBoundaryQueryRunnerFactory;
import org.apache.druid.query.timeseries.TimeseriesQuery;
import org.apache.druid.query.timeseries.TimeseriesQueryEngine;
import org.apache.druid.query.timeseries.TimeseriesQueryQueryToolChest;
import org.apache.druid.query.timeseries.TimeseriesQueryRunnerFactory;
import org.apache.druid.query.topn.TopNQuery;
import org.apache.druid.query.topn.TopNQueryConfig;
import org.apache.druid.query.topn.TopNQueryQueryToolChest;
import org.apache.druid.query.topn.TopNQueryRunnerFactory;
import org.apache.druid.query.union.UnionQuery;
import org.apache.druid.query.union.UnionQueryLogic;

/**
 * Druid's runner factories and tool chests by query type, with their own pools of buffers.
 *
 * <p>A process has two objects: one for planners, as in Druid's broker, and one for actors, as in its data nodes. A planner holds merge
 * buffers while it waits for actors, so a common pool could block both.
 */
public final class QueryFactories {
    private final QueryRunnerFactoryConglomerate conglomerate;
    private final NonBlockingPool<ByteBuffer> computeBuffers;

    QueryFactories(ObjectMapper json, ObjectMapper smile, Path spill) {
        computeBuffers = new StupidPool<>(
                "compute", () -> ByteBuffer.allocateDirect(DruidLimits.COMPUTE_BUFFER_BYTES), 0, 2 * cores());
        // Druid's watchers cancel futures of other threads. Here the caller's thread works, and checks its deadline
        // itself.
        QueryWatcher watcher = (query, future) -> {};
        Map<Class<? extends Query>, QueryRunnerFactory> factories = new HashMap<>();
        factories.put(
                TimeseriesQuery.class,
                new TimeseriesQueryRunnerFactory(
                        new TimeseriesQueryQueryToolChest(), new TimeseriesQueryEngine(computeBuffers), watcher));
        factories.put(
                TopNQuery.class,
                new TopNQueryRunnerFactory(
                        computeBuffers, new TopNQueryQueryToolChest(new TopNQueryConfig()), watcher));
        factories.put(GroupByQuery.class, groupBy(json, smile, spill, watcher));
        factories.put(
                ScanQuery.class,
                new ScanQueryRunnerFactory(
                        new ScanQueryQueryToolChest(DefaultGenericQueryMetricsFactory.instance()),
                        new ScanQueryEngine(),
                        new ScanQueryConfig()));
        SearchQueryConfig search = new SearchQueryConfig();
        factories.put(
                SearchQuery.class,
                new SearchQueryRunnerFactory(
                        new SearchStrategySelector(Suppliers.ofInstance(search)),
                        new SearchQueryQueryToolChest(search),
                        watcher));
        factories.put(TimeBoundaryQuery.class, new TimeBoundaryQueryRunnerFactory(watcher));
        factories.put(
                SegmentMetadataQuery.class,
                new SegmentMetadataQueryRunnerFactory(
                        new SegmentMetadataQueryQueryToolChest(new SegmentMetadataQueryConfig()), watcher));
        factories.put(
                DataSourceMetadataQuery.class,
                new DataSourceMetadataQueryRunnerFactory(
                        new DataSourceQueryQueryToolChest(DefaultGenericQueryMetricsFactory.instance()), watcher));
        factories.put(WindowOperatorQuery.class, new WindowOperatorQueryQueryRunnerFactory());
        Map<Class<? extends Query>, QueryToolChest> toolChests = new HashMap<>();
        factories.forEach((type, factory) -> toolChests.put(type, factory.getToolchest()));
        UnionQueryLogic union = new UnionQueryLogic();
        conglomerate =
                new DefaultQueryRunnerFactoryConglomerate(factories, toolChests, Map.of(UnionQuery.class, union));
        union.initialize(conglomerate);
    }

    private GroupByQueryRunnerFactory groupBy(ObjectMapper json, ObjectMapper smile, Path spill, QueryWatcher watcher) {
        GroupByQueryConfig config = groupByConfig(json);
        Supplier<GroupByQueryConfig> supplier = Suppliers.ofInstance(config);
        GroupByResourcesReservationPool reservations = new GroupByResourcesReservationPool(
                new DefaultBlockingPool<>(
                        () -> ByteBuffer.allocateDirect(DruidLimits.MERGE_BUFFER_BYTES), DruidLimits.MERGE_BUFFERS),
                config);
        GroupByStatsProvider stats = new GroupByStatsProvider();
        GroupingEngine engine =
                new GroupingEngine(processing(spill), supplier, reservations, json, smile, watcher, stats);
        return new GroupByQueryRunnerFactory(
                engine, new GroupByQueryQueryToolChest(engine, reservations, stats), computeBuffers);
    }

    private static GroupByQueryConfig groupByConfig(ObjectMapper json) {
        try {
            return json.readValue(
                    "{\"maxOnDiskStorage\":\"" + DruidLimits.SPILL_BYTES + "\"}", GroupByQueryConfig.class);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Druid does not read its own configuration", e);
        }
    }

    private static DruidProcessingConfig processing(Path spill) {
        DruidProcessingBufferConfig buffers = new DruidProcessingBufferConfig(
                HumanReadableBytes.valueOf(DruidLimits.COMPUTE_BUFFER_BYTES), null, null);
        return new DruidProcessingConfig(
                null, cores(), DruidLimits.MERGE_BUFFERS, true, spill.toString(), buffers, null);
    }

    private static int cores() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Factories and tool chests by query type. */
    public QueryRunnerFactoryConglomerate conglomerate() {
        return conglomerate;
    }
}
