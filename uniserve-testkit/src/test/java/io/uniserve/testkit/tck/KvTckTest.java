package io.uniserve.testkit.tck;

import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.port.kv.KvOperators;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The key-value port passes the test kit. */
class KvTckTest extends PortTck {
    KvTckTest() {
        super(new KvFixture());
    }

    static class KvFixture implements PortFixture {
        @Override
        public Engine engine() {
            return new KvEngine();
        }

        @Override
        public TableMeta meta() {
            return new TableMeta(
                    new TableName("tck"),
                    1,
                    new Partitioner.Hash(4),
                    "key",
                    ConsistencyLevel.EVENTUAL,
                    1,
                    1,
                    OnLoss.WAIT,
                    "kv",
                    Map.of());
        }

        @Override
        public String upsert() {
            return "kv.put@1";
        }

        @Override
        public Document row(int i) {
            return new Document("key", Map.of("key", "k" + i, "amount", (long) i));
        }

        @Override
        public Document changedRow(int i) {
            return new Document("key", Map.of("key", "k" + i, "amount", 1_000_000L + i));
        }

        @Override
        public Document unicodeRow() {
            return new Document("key", Map.of("key", "k-é-日本-😀", "text", "\"quotes\"\nbreak"));
        }

        @Override
        public List<Document> invalidRows() {
            return List.of(
                    new Document("key", Map.of("amount", 1L)),
                    new Document("key", Map.of("key", true)),
                    new Document("key", Map.of("key", "")));
        }

        @Override
        public List<TckQuery<?, ?>> probes() {
            return List.of(
                    probe(KvOperators.COUNT, ""),
                    probe(KvOperators.COUNT, "k1"),
                    probe(KvOperators.SUM, "amount"),
                    probe(KvOperators.GET, "k3"),
                    probe(KvOperators.SCAN, new KvOperators.Scan("", 20)));
        }

        @Override
        public List<String> queries() {
            return List.of("count", "count k1", "sum amount", "scan 20", "scan 7 k", "get k3");
        }

        @Override
        public Optional<Document> tiedRow(String key) {
            return Optional.of(new Document("key", Map.of("key", key, "amount", 7L)));
        }

        /** The engine is a map in memory: it has no files, functions or connections to name. */
        @Override
        public List<HostileInput> hostileInputs(HostileTargets targets) {
            String file = targets.canary().toString();
            return List.of(
                    HostileInput.query("path as a key", "get " + file),
                    HostileInput.query("path as a prefix", "scan 5 " + HostileTargets.traversal(targets.canary())),
                    HostileInput.query("address as a field", "sum " + targets.url()),
                    HostileInput.query("class as a query", HostileCode.class.getName(), "use "),
                    HostileInput.query("path as a limit", "scan " + file, "use "),
                    HostileInput.options("folder", Map.of("directory", file), "directory"),
                    HostileInput.update(
                            "path in a key",
                            "kv.put@1",
                            new Document("key", Map.of("key", HostileTargets.traversal(targets.target())))));
        }

        private static <P, V> TckQuery<P, V> probe(RetrieveOperator<KvActor, P, V> operator, P parameters) {
            return new TckQuery<>(operator.id(), parameters, operator.merger().orElseThrow(), true);
        }
    }
}
