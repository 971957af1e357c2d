package io.uniserve.port.lucene;

import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.lucene.LuceneOperators.Near;
import io.uniserve.port.lucene.LuceneOperators.Phrase;
import io.uniserve.testkit.tck.HostileCode;
import io.uniserve.testkit.tck.HostileInput;
import io.uniserve.testkit.tck.HostileTargets;
import io.uniserve.testkit.tck.PortFixture;
import io.uniserve.testkit.tck.PortTck;
import io.uniserve.testkit.tck.TckQuery;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The Lucene port satisfies the port contract. */
class LuceneTckTest extends PortTck {
    LuceneTckTest() {
        super(new LuceneFixture());
    }

    private static final class LuceneFixture implements PortFixture {
        @Override
        public Engine engine() {
            return new LuceneEngine();
        }

        @Override
        public TableMeta meta() {
            return new TableMeta(
                    new TableName("tck"),
                    1,
                    new Partitioner.Hash(4),
                    "id",
                    ConsistencyLevel.EVENTUAL,
                    1,
                    1,
                    OnLoss.WAIT,
                    "lucene",
                    Map.of("dimensions", "2"));
        }

        @Override
        public String upsert() {
            return "lucene.put@1";
        }

        @Override
        public Document row(int i) {
            return row("d" + i, "row number " + i, List.of((double) i, 1L));
        }

        @Override
        public Document changedRow(int i) {
            return row("d" + i, "this row number is also changed", List.of(1_000.0 + i, -1L));
        }

        @Override
        public Document unicodeRow() {
            return row("k-é-日本-😀", "\"quotes\"\nbreak 日本 é 😀", List.of(0L, 0L));
        }

        @Override
        public List<Document> invalidRows() {
            return List.of(
                    new Document("id", Map.of("text", "no key", "vector", List.of(1L, 2L))),
                    new Document("id", Map.of("id", 5L, "text", "a number as key", "vector", List.of(1L, 2L))),
                    new Document("id", Map.of("id", "a", "vector", List.of(1L, 2L))),
                    row("a", 5L, List.of(1L, 2L)),
                    row("a", "no list", "1,2"),
                    row("a", "too short", List.of(1L)),
                    row("a", "too long", List.of(1L, 2L, 3L)),
                    row("a", "no number", List.of(1L, "2")),
                    row("a", "too large for a float", List.of(1L, 1e200)));
        }

        @Override
        public List<TckQuery<?, ?>> probes() {
            return List.of(
                    probe(LuceneOperators.COUNT, "row number", true),
                    probe(LuceneOperators.COUNT, "number 7", true),
                    // Lucene selects among equally near documents by their places in the index.
                    probe(LuceneOperators.NEAR, new Near(List.of(7.2, 1.0), 3), false),
                    // Its scores use each actor's own statistics.
                    probe(LuceneOperators.PHRASE, new Phrase("row 7", 2, 10), false));
        }

        @Override
        public List<String> queries() {
            return List.of("count row number", "count number 7");
        }

        @Override
        public Optional<Document> tiedRow(String key) {
            return Optional.of(row(key, "row number 7", List.of(7L, 1L)));
        }

        /** Queries are words, and the engine has no functions, scripts or files to name. */
        @Override
        public List<HostileInput> hostileInputs(HostileTargets targets) {
            String file = targets.canary().toString();
            return List.of(
                    HostileInput.query("path as words", "count " + file),
                    HostileInput.query("address as words", "count " + targets.url()),
                    HostileInput.query(
                            "parser of Solr", "count {!xmlparser v=\"<!DOCTYPE a SYSTEM '" + file + "'><a/>\"}"),
                    HostileInput.query("class as a query", HostileCode.class.getName(), "use count WORDS"),
                    HostileInput.query("path as a number", "phrase " + file + " 1 a", file),
                    HostileInput.query("nothing", "near", "use count WORDS"),
                    HostileInput.options(
                            "path", Map.of("dimensions", HostileTargets.traversal(targets.canary())), "dimensions"),
                    HostileInput.options("class", Map.of("codec", HostileCode.class.getName()), "codec"),
                    HostileInput.options("folder", Map.of("dimensions", "2", "directory", file), "directory"));
        }

        private static <P, V> TckQuery<P, V> probe(
                RetrieveOperator<LuceneActor, P, V> operator, P parameters, boolean mergesExactly) {
            return new TckQuery<>(operator.id(), parameters, operator.merger().orElseThrow(), mergesExactly);
        }

        private static Document row(String id, Object text, Object vector) {
            return new Document("id", Map.of("id", id, "text", text, "vector", vector));
        }
    }
}
