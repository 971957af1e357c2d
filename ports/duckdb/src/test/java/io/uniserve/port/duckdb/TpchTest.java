package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.api.Columns;
import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SQL on a cluster of two servers and five actors, compared with one DuckDB that holds all rows and gets the text as it is. */
class TpchTest {
    private static final double SCALE = 0.01;

    private static final Pattern AVERAGE = Pattern.compile("avg\\((\\w+)\\)");

    @TempDir
    static Path directory;

    private static LocalCluster cluster;
    private static UniserveClient client;
    private static Connection whole;

    @BeforeAll
    static void start() throws Exception {
        cluster = LocalCluster.builder()
                .servers(2)
                .port(PortLoader.load(Path.of("target", "port"), "duckdb"))
                .directory(directory.resolve("cluster"))
                .start();
        client = UniserveClient.builder()
                .bootstrap(cluster.bootstrap().toArray(String[]::new))
                .deadline(Duration.ofMinutes(2))
                .connectTimeout(Duration.ofMinutes(1))
                .build();
        client.admin()
                .createTable(TableSpec.named("lineitem")
                        .port("duckdb")
                        .keyField("l_orderkey")
                        .hash(5)
                        .replicas(2)
                        .option("columns", Tpch.COLUMNS)
                        .option("primary", Tpch.PRIMARY));
        List<String> lines = Tpch.lines(SCALE);
        load(lines);
        whole = single(lines);
    }

    private static void load(List<String> lines) {
        Columns columns = Columns.of(client.admin().describeTable("lineitem").meta());
        List<Document> rows = Tpch.documents(lines, columns);
        for (int from = 0; from < rows.size(); from += 5_000) {
            client.table("lineitem")
                    .update("duckdb.put@1", Document.CODEC, rows.subList(from, Math.min(rows.size(), from + 5_000)))
                    .run()
                    .orThrow();
        }
    }

    /** By DuckDB's own reader of the generator's file: nothing of the port's is in the way. */
    private static Connection single(List<String> lines) throws Exception {
        Path file = directory.resolve("lineitem.tbl");
        Files.write(
                file,
                lines.stream().map(line -> line.substring(0, line.length() - 1)).toList());
        Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Duck.run(connection, "CREATE TABLE lineitem (" + Tpch.COLUMNS + ")");
        Duck.run(connection, "COPY lineitem FROM " + Duck.quoted(file) + " (DELIMITER '|', HEADER false)");
        return connection;
    }

    @AfterAll
    static void stop() throws SQLException {
        client.close();
        cluster.close();
        whole.close();
    }

    private static String ask(String sql) {
        return client.query("lineitem", sql).body().utf8();
    }

    private static String rows(String answer) {
        Matcher rows = Pattern.compile("(?s).*\"rows\":(\\[.*\\])\\}\\n").matcher(answer);
        assertThat(rows.matches()).as(answer).isTrue();
        return rows.group(1);
    }

    /** The same query on the engine alone, which knows no precision of intervals; averages exactly as they are defined; written by the same writer of answers. */
    private static String expected(String sql) throws SQLException {
        io.uniserve.sql.SqlRows rows = Duck.query(
                whole, AVERAGE.matcher(sql.replace(" day (3)", " day")).replaceAll("(sum($1) / count($1))"), 60);
        List<String> names = rows.types();
        return rows(io.uniserve.sql.SqlAnswer.of(names, rows).body().utf8());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                Tpch.Q1,
                Tpch.Q6,
                "SELECT count(*), min(l_shipdate), max(l_comment), avg(l_tax), sum(l_linenumber) FROM lineitem",
                "SELECT count(*), sum(l_tax), min(l_tax), avg(l_tax) FROM lineitem WHERE l_tax > 10",
                "SELECT l_shipmode, count(*) AS n FROM lineitem GROUP BY l_shipmode HAVING count(*) > 8000"
                        + " ORDER BY n DESC, l_shipmode LIMIT 3 OFFSET 1",
                "SELECT extract(year from l_shipdate) AS y, sum(case when l_returnflag = 'R' then 1 else 0 end) AS r,"
                        + " 100 * sum(l_discount * l_extendedprice) / sum(l_extendedprice) AS p FROM lineitem"
                        + " GROUP BY extract(year from l_shipdate) ORDER BY 1",
                "SELECT DISTINCT l_returnflag, l_linestatus FROM lineitem ORDER BY 1, 2",
                "SELECT l_orderkey, l_linenumber, l_extendedprice * 2, l_shipdate, l_comment FROM lineitem"
                        + " WHERE l_comment LIKE '%furious%' AND l_shipmode IN ('AIR', 'MAIL')"
                        + " ORDER BY l_extendedprice DESC, l_orderkey, l_linenumber LIMIT 25 OFFSET 10",
                "SELECT l_suppkey, l_returnflag, sum(l_quantity) FROM lineitem WHERE l_suppkey < 20"
                        + " GROUP BY l_suppkey, l_returnflag ORDER BY sum(l_quantity) DESC, l_suppkey, l_returnflag",
                "SELECT max(l_extendedprice) FROM lineitem HAVING count(*) > 1000000",
                "SELECT l_orderkey FROM lineitem WHERE l_orderkey < 0"
            })
    void answersAreThoseOfOneEngineWithAllRows(String sql) throws SQLException {
        assertThat(rows(ask(sql))).isEqualTo(expected(sql));
    }

    @Test
    void aLaterRowReplacesAndDeletedOnesGo() throws SQLException {
        String count = "SELECT count(*), sum(l_quantity) FROM lineitem WHERE l_orderkey < 100";
        String before = ask(count);
        Columns columns = Columns.of(client.admin().describeTable("lineitem").meta());
        List<Document> some = Tpch.documents(Tpch.lines(SCALE).subList(0, 50), columns);
        client.table("lineitem")
                .update("duckdb.delete@1", Document.CODEC, some)
                .run()
                .orThrow();
        assertThat(ask(count)).isNotEqualTo(before);
        client.table("lineitem")
                .update("duckdb.put@1", Document.CODEC, some)
                .run()
                .orThrow();
        client.table("lineitem")
                .update("duckdb.put@1", Document.CODEC, some)
                .run()
                .orThrow();
        assertThat(ask(count)).isEqualTo(before);
        assertThat(rows(ask(Tpch.Q1))).isEqualTo(expected(Tpch.Q1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT l_orderkey / (l_linenumber - 1) FROM lineitem LIMIT 9",
                "SELECT sum(l_tax) / sum(l_tax - l_tax) FROM lineitem",
                "SELECT 9223372036854775807 + l_orderkey FROM lineitem LIMIT 1",
                "SELECT CAST(l_comment AS bigint) FROM lineitem LIMIT 1"
            })
    void whatItsValuesMakeImpossibleIsTheUsersError(String sql) {
        assertThatThrownBy(() -> ask(sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    /** The engine's own average rounds twice, so its last digit may be another one. */
    @Test
    void averagesAreThoseOfTheEngine() throws SQLException {
        String sql = "SELECT avg(l_extendedprice) FROM lineitem";
        String ours = rows(ask(sql)).replaceAll("[^0-9.]", "");
        String theirs = String.valueOf(Duck.query(whole, sql, 60).rows().get(0).get(0));
        assertThat(Double.parseDouble(ours)).isCloseTo(Double.parseDouble(theirs), within(1e-9));
    }
}
