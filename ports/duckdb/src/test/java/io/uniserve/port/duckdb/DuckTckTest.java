package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Actor;
import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.engine.CancellableJdbcExecutor;
import io.uniserve.sql.plan.SqlQuery;
import io.uniserve.sql.rows.SqlRows;
import io.uniserve.testkit.tck.HostileInput;
import io.uniserve.testkit.tck.HostileTargets;
import io.uniserve.testkit.tck.PortFixture;
import io.uniserve.testkit.tck.PortTck;
import io.uniserve.testkit.tck.TckQuery;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The DuckDB port satisfies the port contract. */
class DuckTckTest extends PortTck {
    DuckTckTest() {
        super(new DuckFixture());
    }

    /** Otherwise the cases of atomic updates would be skipped. */
    @Test
    void updatesAreAtomicWhereTablesWantThat() {
        assertThat(new DuckEngine().info().levels()).contains(ConsistencyLevel.values());
    }

    private static final class DuckFixture implements PortFixture {
        private static final TableMeta META = new TableMeta(
                new TableName("tck"),
                1,
                new Partitioner.Hash(4),
                "id",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "duckdb",
                Map.of(
                        "columns",
                        "id varchar, n integer, price decimal(15,2), born date, x double, big bigint, ok boolean",
                        "primary",
                        "id, n"));

        @Override
        public Engine engine() {
            return new DuckEngine();
        }

        @Override
        public TableMeta meta() {
            return META;
        }

        @Override
        public String upsert() {
            return "duckdb.put@1";
        }

        @Override
        public Document row(int i) {
            return row("d" + i, 1L, "%d.%02d".formatted(i, i % 100));
        }

        @Override
        public Document changedRow(int i) {
            return row("d" + i, 1L, "1000000.5");
        }

        @Override
        public Document unicodeRow() {
            return row("k-é-日本-😀 \"quotes\" 'more'\nbreak", 2L, "0");
        }

        @Override
        public List<Document> invalidRows() {
            return List.of(
                    new Document("id", Map.of("n", 5L)),
                    new Document("id", Map.of("id", "a")),
                    new Document("id", Map.of("id", 5L, "n", 1L)),
                    new Document("id", Map.of("id", "", "n", 1L)),
                    new Document("id", Map.of("id", "a", "n", "1")),
                    new Document("id", Map.of("id", "a", "n", 1L, "nosuchfield", 1L)),
                    row("a", 1L, "1.234"),
                    row("a", 1L, "1e3"),
                    row("a", 1L, "12345678901234.00"));
        }

        @Override
        public List<TckQuery<?, ?>> probes() {
            return Stream.of(
                            "SELECT count(*), sum(price), avg(price), min(born), max(id) FROM tck",
                            "SELECT * FROM tck ORDER BY id LIMIT 100",
                            "SELECT n, ok, sum(price) FROM tck WHERE id > 'd1' GROUP BY n, ok ORDER BY n, ok")
                    .map(DuckFixture::probe)
                    .toList();
        }

        @Override
        public List<String> queries() {
            return List.of(
                    "SELECT count(*), sum(price), min(born), max(id) FROM tck",
                    "SELECT id, price FROM tck ORDER BY id LIMIT 20",
                    "SELECT n, ok, sum(price) FROM tck WHERE id > 'd1' GROUP BY n, ok ORDER BY n, ok");
        }

        @Override
        public Optional<Document> tiedRow(String key) {
            return Optional.of(row(key, 1L, "7.50"));
        }

        @Override
        public List<HostileInput> hostileInputs(HostileTargets targets) {
            return HostileSql.of(targets, ColumnSchema.of(META), DuckFixture::call);
        }

        @Override
        public Optional<String> switchValue(EngineInstance instance, Actor actor, String name) {
            String setting = "SELECT CAST(current_setting('" + name + "') AS VARCHAR)";
            return Optional.ofNullable(DuckDatabase.DUCKDB
                    .call(
                            "read a setting",
                            () -> ((DuckActor) actor)
                                    .read(by -> CancellableJdbcExecutor.answer(by.connection(), setting)))
                    .columns()
                    .get(0)
                    .text(0));
        }

        /** The planner merges; here the larger part replaces the merge. */
        private static TckQuery<?, ?> probe(String text) {
            return call(SqlQuery.of("tck", ColumnSchema.of(META), text));
        }

        private static TckQuery<?, ?> call(SqlQuery query) {
            return new TckQuery<SqlQuery, SqlRows>(
                    DuckOperators.SELECT.id(),
                    query,
                    (any, left, right) -> left.toString().compareTo(right.toString()) < 0 ? right : left,
                    false);
        }

        private static Document row(String id, long n, String price) {
            return new Document(
                    "id",
                    Map.of(
                            "id",
                            id,
                            "n",
                            n,
                            "price",
                            price,
                            "born",
                            "1998-12-01",
                            "x",
                            0.1 + n,
                            "big",
                            n << 40,
                            "ok",
                            n % 2 == 0));
        }
    }
}
