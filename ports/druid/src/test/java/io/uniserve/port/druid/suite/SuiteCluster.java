package io.uniserve.port.druid.suite;

import io.uniserve.api.plan.PlanContext;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.client.UpdateOutcome;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.TableName;
import io.uniserve.port.druid.query.NativeQueryRunner;
import io.uniserve.port.druid.query.PartialQueries;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.runtime.TableLookups;
import io.uniserve.port.druid.segment.SegmentRow;
import io.uniserve.testkit.cluster.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.druid.java.util.common.guava.Sequence;
import org.apache.druid.java.util.common.guava.Sequences;
import org.apache.druid.query.DataSource;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryDataSource;
import org.apache.druid.query.TableDataSource;
import org.apache.druid.segment.QueryableIndex;
import org.apache.druid.server.SpecificSegmentsQuerySegmentWalker;
import org.apache.druid.timeline.DataSegment;

/**
 * Cluster of the suites in this JVM: four servers, tables of eight actors with two replicas each. Druid's test segments are loaded once per
 * name. Thread-safe.
 */
final class SuiteCluster {
    static final int SERVERS = 4;
    static final int ACTORS = 8;
    static final int REPLICAS = Integer.getInteger("uniserve.druid.suite.replicas", 1);

    private static final Duration DEADLINE = Duration.ofMinutes(2);
    private static final String SCHEMA = "{\"timestampSpec\":{\"column\":\"__time\",\"format\":\"millis\"},"
            + "\"dimensionsSpec\":{},\"granularitySpec\":{\"segmentGranularity\":\"ALL\",\"rollup\":false}}";

    /** The lookups of Druid's tests. */
    private static final String LOOKUPS =
            "{\"lookyloo\":{\"a\":\"xa\",\"abc\":\"xabc\",\"nosuchkey\":\"mysteryvalue\",\"6\":\"x6\"},"
                    + "\"lookyloo-chain\":{\"xa\":\"za\",\"xabc\":\"zabc\",\"x6\":\"z6\"},"
                    + "\"lookyloo121\":{\"\":\"x\",\"10.1\":\"x10.1\",\"2\":\"x2\",\"1\":\"x1\",\"def\":\"xdef\",\"abc\":\"xabc\"}}";

    private static final class Holder {
        private static final SuiteCluster INSTANCE = new SuiteCluster();
    }

    private final LocalCluster cluster;
    private final UniserveClient client;
    private final NativeQueryRunner runner = new NativeQueryRunner(DruidServices.get());
    private final Set<String> loaded = new HashSet<>();

    private SuiteCluster() {
        cluster = LocalCluster.builder()
                .servers(SERVERS)
                .engine(new SuiteEngine())
                .start();
        client = UniserveClient.builder()
                .bootstrap(cluster.bootstrap().toArray(String[]::new))
                .deadline(DEADLINE)
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
    }

    /** The cluster; the first call starts it. */
    static SuiteCluster get() {
        return Holder.INSTANCE;
    }

    LocalCluster servers() {
        return cluster;
    }

    /** Loads all segments of a test's walker whose tables do not exist yet. */
    synchronized SpecificSegmentsQuerySegmentWalker load(SpecificSegmentsQuerySegmentWalker walker) {
        for (DataSegment segment : walker.getSegments()) {
            String table = table(segment.getDataSource());
            QueryableIndex index =
                    walker.getSegment(segment.getId()).getSegment().as(QueryableIndex.class);
            load(table, index, false);
        }
        return walker;
    }

    /** Loads a segment as a table, unless the table exists; {@code byTime} keeps rows of one time in one actor. */
    synchronized void load(String table, QueryableIndex index, boolean byTime) {
        if (!loaded.add(table)) {
            return;
        }
        client.admin()
                .createTable(TableSpec.named(table)
                        .port("druid")
                        .range(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L))
                        .replicas(REPLICAS)
                        .keyField("actor")
                        .option("dataSchema", SCHEMA)
                        .option("lookups", LOOKUPS));
        List<CompletionStage<UpdateOutcome>> loads = SegmentSlicer.slices(index, ACTORS, byTime, scratch()).stream()
                .map(slice -> client.table(table)
                        .update(SegmentRow.ADD.id(), SegmentRow.CODEC, List.of(slice))
                        .ack(AckLevel.ISR)
                        .runAsync())
                .toList();
        loads.forEach(load -> load.toCompletableFuture().join());
    }

    private static Path scratch() {
        try {
            return Files.createTempDirectory("suite-segments");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a query as a user's: results are final. */
    <T> Sequence<T> run(Query<T> query) {
        Query<T> renamed = renamed(query);
        return call(renamed, context -> runner.run(renamed, context).toList());
    }

    /** Runs a query as Druid's broker does on data nodes: the caller merges and finalizes. */
    <T> Sequence<T> runPartial(Query<T> query) {
        Query<T> renamed = renamed(query);
        return call(renamed, context -> PartialQueries.run(renamed, context));
    }

    @SuppressWarnings("unchecked") // Results of a query are all of its class.
    private <T> Sequence<T> call(Query<T> query, Function<PlanContext, List<?>> work) {
        String table = query.getDataSource().getTableNames().stream()
                .filter(loaded::contains)
                .findFirst()
                .orElseGet(() -> loaded.iterator().next());
        Function<PlanContext, List<?>> scoped = context -> withLookups(table, work, context);
        try {
            return Sequences.simple((List<T>) SuiteEngine.call(scoped, text -> client.query(table, text, DEADLINE)));
        } catch (UniserveException e) {
            throw WireTypes.error(e);
        }
    }

    private static List<?> withLookups(String table, Function<PlanContext, List<?>> work, PlanContext context) {
        try {
            return DruidServices.get()
                    .lookups()
                    .call(TableLookups.of(context.table(new TableName(table))), () -> work.apply(context));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Names of Druid's data sources that are no names of tables get others. */
    private static String table(String dataSource) {
        return dataSource.replace('.', '_');
    }

    private static <T> Query<T> renamed(Query<T> query) {
        return query.withDataSource(renamed(query.getDataSource()));
    }

    private static DataSource renamed(DataSource source) {
        if (source.getClass() == TableDataSource.class) {
            return new TableDataSource(table(((TableDataSource) source).getName()));
        }
        if (source instanceof QueryDataSource inner) {
            return new QueryDataSource(renamed(inner.getQuery()));
        }
        return source.getChildren().isEmpty()
                ? source
                : source.withChildren(
                        source.getChildren().stream().map(SuiteCluster::renamed).toList());
    }
}
