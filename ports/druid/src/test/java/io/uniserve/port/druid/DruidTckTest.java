package io.uniserve.port.druid;

import io.uniserve.api.Actor;
import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineInstance;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.druid.query.DruidHostileInputs;
import io.uniserve.port.druid.query.TestingSegmentQueries;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.testkit.tck.HostileInput;
import io.uniserve.testkit.tck.HostileTargets;
import io.uniserve.testkit.tck.PortFixture;
import io.uniserve.testkit.tck.PortTck;
import io.uniserve.testkit.tck.TckQuery;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The Druid port satisfies the port contract. */
class DruidTckTest extends PortTck {
    DruidTckTest() {
        super(new DruidFixture());
    }

    /**
     * Each key has an hour of its own, so replacing the rows of an hour replaces the row of a key. A changed row has the larger number, so
     * that it also wins by roll-up.
     */
    private static final class DruidFixture implements PortFixture {
        private static final long HOUR_MS = 3_600_000;
        private static final TableMeta META = new TableMeta(
                new TableName("tck"),
                1,
                new Partitioner.Hash(1),
                "id",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "druid",
                Map.of("dataSchema", """
                    {"timestampSpec": {"column": "ts", "format": "millis"},
                     "dimensionsSpec": {"dimensions": ["id", {"type": "long", "name": "n"}, "tags"]},
                     "metricsSpec": [{"type": "doubleMax", "name": "price", "fieldName": "price"}],
                     "granularitySpec": {"segmentGranularity": "HOUR", "queryGranularity": "NONE", "rollup": true}}\
                    """));

        @Override
        public Engine engine() {
            return new DruidEngine();
        }

        @Override
        public TableMeta meta() {
            return META;
        }

        @Override
        public String upsert() {
            return "druid.replace@1";
        }

        @Override
        public Document row(int i) {
            return row("d" + i, i, i + 0.25);
        }

        @Override
        public Document changedRow(int i) {
            return row("d" + i, i, 1_000_000.5);
        }

        @Override
        public Document unicodeRow() {
            return row("k-é-日本-😀 \"quotes\" 'more'\nbreak", 7_777, 0);
        }

        @Override
        public List<Document> invalidRows() {
            return List.of(
                    new Document("id", Map.of("n", 5L, "ts", 0L)),
                    new Document("id", Map.of("id", "a", "n", 5L)),
                    new Document("id", Map.of("id", "a", "ts", "yesterday")),
                    new Document("id", Map.of("id", "a", "ts", 0L, "n", "many")),
                    new Document("id", Map.of("id", "a", "ts", 0L, "price", "dear")));
        }

        @Override
        public List<TckQuery<?, ?>> probes() {
            return TestingSegmentQueries.probes("tck");
        }

        @Override
        public List<String> queries() {
            return List.of("""
                     {"queryType": "timeseries", "dataSource": "tck", "granularity": "all", "intervals": "1970/2000",
                      "aggregations": [{"type": "count", "name": "rows"}]}\
                     """, """
                     {"queryType": "groupBy", "dataSource": "tck", "granularity": "all", "intervals": "1970/2000",
                      "dimensions": ["id"], "aggregations": [{"type": "doubleSum", "name": "p", "fieldName": "price"}],
                      "limitSpec": {"type": "default", "limit": 20, "columns": ["id"]}}\
                     """, """
                     {"queryType": "topN", "dataSource": "tck", "granularity": "all", "intervals": "1970/2000",
                      "dimension": "tags", "metric": "p", "threshold": 3,
                      "aggregations": [{"type": "doubleSum", "name": "p", "fieldName": "price"}]}\
                     """);
        }

        @Override
        public Optional<Document> tiedRow(String key) {
            return Optional.of(row(key, 5, 7.5));
        }

        @Override
        public List<HostileInput> hostileInputs(HostileTargets targets) {
            return DruidHostileInputs.of(targets, META.options().getOrDefault("dataSchema", ""));
        }

        @Override
        public Optional<String> switchValue(EngineInstance instance, Actor actor, String name) {
            return name.equals(DruidServices.JAVASCRIPT.name())
                    ? Optional.of("" + DruidServices.get().isJavaScriptEnabled())
                    : Optional.empty();
        }

        private static Document row(String id, int hour, double price) {
            return new Document(
                    "id",
                    Map.of(
                            "id",
                            id,
                            "ts",
                            hour * HOUR_MS,
                            "n",
                            (long) hour % 5,
                            "price",
                            price,
                            "tags",
                            List.of("t" + hour % 3, "t" + hour % 7)));
        }
    }
}
