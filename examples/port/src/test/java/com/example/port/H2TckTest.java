package com.example.port;

import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.testkit.tck.PortFixture;
import io.uniserve.testkit.tck.PortTck;
import io.uniserve.testkit.tck.TckQuery;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The H2 port keeps the contract. */
class H2TckTest extends PortTck {
    H2TckTest() {
        super(new Fixture());
    }

    private static final class Fixture implements PortFixture {
        @Override
        public Engine engine() {
            return new H2Engine();
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
                    "h2",
                    Map.of());
        }

        @Override
        public String upsert() {
            return "h2.put@1";
        }

        @Override
        public Document row(int i) {
            return row("r" + i, i);
        }

        @Override
        public Document changedRow(int i) {
            return row("r" + i, 1_000_000L + i);
        }

        @Override
        public Document unicodeRow() {
            return row("k-é-日本-😀 \"quotes\"\nbreak", 1);
        }

        @Override
        public Optional<Document> tiedRow(String key) {
            return Optional.of(row(key, 7));
        }

        @Override
        public List<Document> invalidRows() {
            return List.of(
                    new Document("id", Map.of("n", 1L)),
                    new Document("id", Map.of("id", "a")),
                    new Document("id", Map.of("id", 5L, "n", 1L)),
                    new Document("id", Map.of("id", "a", "n", "1")),
                    new Document("id", Map.of("id", "a", "n", 1L, "more", 1L)));
        }

        @Override
        public List<TckQuery<?, ?>> probes() {
            return List.of(
                    probe(H2Operators.COUNT, Long.MIN_VALUE),
                    probe(H2Operators.SUM, 7L),
                    probe(H2Operators.TOP, new H2Operators.Top(20)));
        }

        @Override
        public List<String> queries() {
            return List.of("count", "sum", "top 20", "top 1000", "above");
        }

        private static <P, V> TckQuery<P, V> probe(RetrieveOperator<H2Actor, P, V> operator, P parameters) {
            return new TckQuery<>(operator.id(), parameters, operator.merger().orElseThrow(), true);
        }

        private static Document row(String id, long n) {
            return new Document("id", Map.of("id", id, "n", n));
        }
    }
}
