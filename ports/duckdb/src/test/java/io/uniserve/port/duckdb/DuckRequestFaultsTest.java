package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.CancellableJdbcExecutor;
import io.uniserve.sql.rows.SqlAnswer;
import io.uniserve.sql.rows.SqlRows;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid statements fail with INVALID_ARGUMENT or UNSUPPORTED, in terms of SQL; accepted ones are answered as by one DuckDB. */
class DuckRequestFaultsTest {
    @TempDir
    static Path directory;

    private static TpchCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TpchCluster(directory);
        cluster.load(
                new Tpch.Table("m", "id", "id bigint, s varchar, n integer, p decimal(10,2), d date, x double"),
                3,
                2,
                List.of(
                        "1|one|7|1.50|2021-02-03|0.5|",
                        "2|two|0|2.25|2024-02-29|1e300|",
                        "3|||||  |".replace(" ", "")));
        cluster.load(
                new Tpch.Table(
                        "w", "id", "id bigint, day integer, value varchar, month date, rank integer, count double"),
                2,
                1,
                List.of("1|7|one|2021-02-03|3|0.5|", "2|8|two|2024-02-29|3|1e300|", "3||||||"));
    }

    @AfterAll
    static void stop() throws SQLException {
        cluster.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1",
                "SELECT NULL",
                "SELECT 1 + 2 AS three, upper('a') AS u, date '2020-02-03', CAST('5' AS INTEGER), 1.5, true",
                "SELECT id, NULL AS nothing FROM m ORDER BY id",
                "SELECT count(*) FROM (SELECT NULL AS n, id FROM m) AS q",
                "SELECT CAST(s AS VARCHAR(2)), CAST(id AS VARCHAR(1)) FROM m ORDER BY id",
                "SELECT id::varchar, s::text, '12'::integer + n, p::integer FROM m ORDER BY id",
                "SELECT id FROM m WHERE d::varchar = '2024-02-29'",
                "SELECT d - date '2020-01-01', date '2020-01-01' - d FROM m ORDER BY id",
                "SELECT sum(d - date '2020-01-01'), max(d) - min(d) FROM m",
                "SELECT id FROM m WHERE d - date '2021-01-01' > 40 ORDER BY id",
                "SELECT id FROM m ORDER BY id LIMIT 3000000000",
                "SELECT id FROM m ORDER BY id DESC LIMIT 9223372036854775807 OFFSET 1",
                "SELECT id FROM m ORDER BY id LIMIT 2 OFFSET 5000000000",
                "SELECT s, count(*) FROM m GROUP BY s ORDER BY s LIMIT 9223372036854775807",
            })
    void answersAreThoseOfOneEngine(String sql) throws SQLException {
        assertAnswerOfOneEngine("m", sql);
    }

    /** Words of the parser that need no double quotes as names. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT day, value, month, rank, count FROM w ORDER BY id",
                "SELECT w.day AS day, max(value) AS value, count(count) rank FROM w GROUP BY w.day ORDER BY day",
                "SELECT id FROM w WHERE day = 7 AND value::text LIKE 'o%' AND month < date '2022-01-01'",
                "SELECT rank, sum(day) FILTER (WHERE count < 2) FROM w GROUP BY rank HAVING count(*) > 1 ORDER BY rank",
                "SELECT count(*), avg(rank)::integer FROM w year JOIN m ON year.id = m.id WHERE extract(day FROM month) > 1",
                "WITH year (month) AS (SELECT day FROM w) SELECT month FROM year ORDER BY month NULLS LAST",
            })
    void wordsOfSqlAreNames(String sql) throws SQLException {
        assertAnswerOfOneEngine("w", sql);
    }

    private static void assertAnswerOfOneEngine(String table, String sql) throws SQLException {
        SqlRows rows = CancellableJdbcExecutor.answer(cluster.whole(), sql);
        String expected =
                TpchCluster.rows(SqlAnswer.of(rows.types(), rows).body().utf8());
        assertThat(TpchCluster.rows(cluster.ask(table, sql))).as(sql).isEqualTo(expected);
    }

    private static String fault(String sql) {
        try {
            throw new AssertionError(sql + " is answered: " + cluster.ask("m", sql));
        } catch (UniserveException e) {
            assertThat(e.code()).as(sql + ": " + e).isIn(ErrorCode.INVALID_ARGUMENT, ErrorCode.UNSUPPORTED);
            assertThat(e.tried()).as("asked once: " + sql).hasSizeLessThanOrEqualTo(1);
            assertThat(e.reason())
                    .doesNotContain("Exception", "COLLECTION_TABLE", "OTHER_FUNCTION", "No match found", "LINE 1");
            return e.reason();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT count(*) FROM m WHERE d < date '10000-01-01'",
                "SELECT count(*) FROM m WHERE d < date '2021-02-29'",
                "SELECT count(*) FROM m WHERE d < date '0000-01-01'",
                "SELECT count(*) FROM m WHERE d < date 'soon'",
                "SELECT d + INTERVAL '999999' YEAR FROM m WHERE id = 1",
                "SELECT d + INTERVAL '99999999999999999999' DAY FROM m WHERE id = 1",
                "SELECT 99999999999999999999999999999999999999999999 FROM m",
                "SELECT n * 2147483647 FROM m",
                "SELECT id / 0 FROM m",
                "SELECT CAST(s AS INTEGER) FROM m WHERE id = 1",
                "SELECT CAST('2021-02-29' AS DATE) FROM m",
                "SELECT CAST(x AS BIGINT) FROM m",
                "SELECT CAST(p AS DECIMAL(2,2)) FROM m",
                "SELECT p * 99999999999 * 99999999999 * 99999999999 * 99999999999 FROM m",
                "SELECT TIME '25:00:00' FROM m",
                "SELECT id FROM m ORDER BY id LIMIT 99999999999999999999",
                "SELECT id FROM m ORDER BY id LIMIT 1.5",
                "SELECT id FROM m ORDER BY id LIMIT -1",
                "SELECT upper(id, s) FROM m",
                "SELECT * FROM TABLE(f(1))",
                "SELECT * FROM range(3)",
                "SELECT ?",
                "SELECT nothing",
                "SELECT count(*)",
                "SELECT id::nothing FROM m",
                "SELECT id FROM m WHERE s LIKE 'a!' ESCAPE '!'",
            })
    void areTheStatements(String sql) {
        assertThat(fault(sql)).isNotBlank();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT range FROM m | range is a reserved word: a column of this name stands in double quotes",
                "SELECT id AS end FROM m | end is a reserved word: a column of this name stands in double quotes",
                "SELECT m.id FROM m SEMI JOIN w ON m.id = w.id | SEMI is a reserved word: a column of this name stands in double quotes",
                "SELECT day FROM m | Column 'day' not found in any table",
                "SELECT upper(id, s) FROM m | Invalid number of arguments to function",
                "SELECT * FROM TABLE(f(1)) | a FROM with a function is not supported",
            })
    void tellInWordsOfSql(String sql, String told) {
        assertThat(fault(sql)).containsIgnoringCase(told);
    }

    @Test
    void nestingIsRefused() {
        String deep = "SELECT " + "(".repeat(9_000) + "id" + ")".repeat(9_000) + " FROM m";
        assertThat(fault(deep)).startsWith("the query's expressions are nested too deeply");
        assertThat(fault("SELECT id" + " + 1".repeat(15_000) + " FROM m")).isNotBlank();
        assertThatThrownBy(() -> cluster.ask("m", "SELECT id FROM m WHERE range = 1"))
                .hasMessageContaining("in double quotes, \"range\"");
    }
}
