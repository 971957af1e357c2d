package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All 22 queries of TPC-H, and sub-queries of all kinds, on a cluster of two servers; answers equal those of one DuckDB with all rows. */
class TpchAllTest {
    private static final Logger LOG = LoggerFactory.getLogger(TpchAllTest.class);
    private static final double SCALE = Double.parseDouble(System.getProperty("uniserve.tpch.scale", "0.01"));

    /** Rows with NULLs. */
    private static final List<String> LEFT = List.of("1|10|p|", "2|20|q|", "3||r|", "4|40||", "5|10|p|", "6|||");

    private static final List<String> RIGHT = List.of("1|10|p|", "2||q|", "3|10|p|", "4|30||", "5|50|s|");

    @TempDir
    static Path directory;

    private static TpchCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TpchCluster.all(directory, SCALE);
        cluster.load(new Tpch.Table("l", "a", "a bigint, x bigint, t varchar"), 3, 1, LEFT);
        cluster.load(new Tpch.Table("r", "b", "b bigint, y bigint, u varchar"), 2, 1, RIGHT);
        cluster.load(new Tpch.Table("e", "c", "c bigint, z bigint"), 2, 1, List.of());
    }

    @AfterAll
    static void stop() throws SQLException {
        cluster.close();
    }

    static String text(int number) {
        try (InputStream in = TpchAllTest.class.getResourceAsStream("/tpch/q%02d.sql".formatted(number))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22})
    void answersAreThoseOfOneEngineWithAllRows(int number) throws SQLException {
        String sql = text(number);
        same(TpchCluster.table(sql), sql);
    }

    /** Runs the query three times: the third is answered by plans that actors cached at the second. */
    private static void same(String table, String sql) throws SQLException {
        String expected = cluster.expected(sql);
        for (int i = 0; i < 3; i++) {
            assertThat(TpchCluster.rows(cluster.ask(table, sql))).as(sql).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x IN (SELECT y FROM r)",
                "x NOT IN (SELECT y FROM r)",
                "x NOT IN (SELECT y FROM r WHERE y IS NOT NULL)",
                "x NOT IN (SELECT y FROM r WHERE b > 100)",
                "x NOT IN (SELECT z FROM e)",
                "x IN (SELECT z FROM e)",
                "NOT (x IN (SELECT y FROM r WHERE b = 1))",
                "(x IN (SELECT y FROM r)) IS NULL",
                "x IN (SELECT y FROM r WHERE u = t)",
                "x NOT IN (SELECT y FROM r WHERE u = t)",
                "x NOT IN (SELECT y FROM r WHERE u = t) OR a = 3",
                "EXISTS (SELECT 1 FROM r WHERE y = x)",
                "NOT EXISTS (SELECT 1 FROM r WHERE y = x)",
                "NOT EXISTS (SELECT 1 FROM r WHERE y = x AND u <> t)",
                "EXISTS (SELECT 1 FROM r WHERE y = x AND b > a)",
                "EXISTS (SELECT 1 FROM r WHERE y + 1 = x + 1 AND u = t)",
                "EXISTS (SELECT u FROM r WHERE u = t GROUP BY u HAVING count(*) > 1)",
                "EXISTS (SELECT 1 FROM e)",
                "NOT EXISTS (SELECT 1 FROM e WHERE z = x)",
                "EXISTS (SELECT max(z) FROM e)",
                "EXISTS (SELECT b FROM r WHERE b > 4 ORDER BY b LIMIT 1)",
                "(SELECT count(*) FROM r WHERE y = x) = 0",
                "(SELECT count(*) + 1 FROM r WHERE y = x) > 2",
                "(SELECT count(y) FROM r WHERE u = t) < (SELECT count(*) FROM r WHERE u = t)",
                "x > (SELECT min(y) FROM r WHERE u = t)",
                "x = (SELECT max(z) FROM e)",
                "(SELECT max(z) FROM e) IS NULL",
                "x >= (SELECT y FROM r WHERE b = a)",
                "a = (SELECT b FROM r WHERE u = 's')",
                "coalesce((SELECT sum(y) FROM r WHERE y = x), 0) = 0",
                "CASE WHEN x IN (SELECT y FROM r) THEN 1 ELSE 0 END = 0",
                "x BETWEEN (SELECT min(y) FROM r) AND (SELECT max(y) FROM r) - 10",
                "a IN (SELECT b FROM r WHERE y IN (SELECT x FROM l WHERE t = 'p'))",
                "EXISTS (SELECT 1 FROM r WHERE r.b = l.a AND EXISTS (SELECT 1 FROM l m WHERE m.x = r.y AND m.a <> r.b))",
                "EXISTS (SELECT 1 FROM r, l m WHERE r.b = l.a AND m.a = r.b AND m.x >= 10)"
            })
    void valuesThatAreMissingAreNeitherInNorNot(String condition) throws SQLException {
        same("SELECT a, x, t FROM l WHERE " + condition + " ORDER BY a");
        same("SELECT count(*), count(DISTINCT x), sum(DISTINCT x) FROM l WHERE " + condition);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a, (SELECT max(y) FROM r WHERE u = t), (SELECT count(*) FROM r WHERE y = x) FROM l ORDER BY a",
                "SELECT a, x IN (SELECT y FROM r), x NOT IN (SELECT y FROM r WHERE b < 5) FROM l ORDER BY a",
                "SELECT t, count(DISTINCT x), count(x), min(DISTINCT a), sum(DISTINCT x), count(*) FROM l GROUP BY t ORDER BY t",
                "SELECT count(DISTINCT z), count(*), max(z) FROM e",
                "SELECT a, (SELECT coalesce(sum(y), 0) FROM r WHERE u = t AND y > 12), (SELECT max(y) IS NULL FROM r WHERE y = x),"
                        + " (SELECT CASE WHEN sum(y) > 5 THEN 'a' ELSE 'b' END FROM r WHERE y = x) FROM l ORDER BY a",
                "WITH d AS (SELECT DISTINCT y AS k FROM r) SELECT count(*) FROM l WHERE x IN (SELECT k FROM d)",
                "SELECT count(*) FROM (SELECT k FROM (SELECT DISTINCT y AS k FROM r) AS d ORDER BY k LIMIT 2) AS e",
                "SELECT /*+ shuffle */ a, b, (SELECT count(*) FROM e WHERE z = x) AS n FROM l JOIN r ON a = b"
                        + " WHERE x NOT IN (SELECT y FROM r WHERE y > 12) OR EXISTS (SELECT 1 FROM e WHERE c = a) ORDER BY a, b",
                "SELECT /*+ shuffle */ t, count(DISTINCT u), sum(y) FROM l JOIN r ON a = b WHERE x < (SELECT max(y) FROM r)"
                        + " GROUP BY t HAVING count(*) > (SELECT min(b) - 5 FROM r) ORDER BY t",
                "SELECT count(*) FROM e",
                "SELECT count(DISTINCT t), count(DISTINCT x) FROM l",
                "SELECT DISTINCT x, t FROM l WHERE a IN (SELECT b FROM r) ORDER BY x, t",
                "SELECT a, n FROM l LEFT JOIN (SELECT y, count(*) AS n FROM r GROUP BY y) AS d ON d.y = l.x ORDER BY a",
                "SELECT a, n, u FROM l LEFT JOIN (SELECT y AS k, u, b AS n FROM r WHERE b < 4) AS d ON k = x AND n > 1 ORDER BY a, n",
                "SELECT d.n, a FROM (SELECT y, count(*) AS n FROM r GROUP BY y) AS d LEFT JOIN l ON d.y = l.x ORDER BY n, a",
                "SELECT d.y, d.n, f.m FROM (SELECT y, count(*) AS n FROM r GROUP BY y) AS d"
                        + " JOIN (SELECT x, max(a) AS m FROM l GROUP BY x) AS f ON d.y = f.x ORDER BY 1",
                "SELECT a, s FROM l JOIN (SELECT y, sum(b + 9007199254740993) AS s FROM r GROUP BY y) AS d ON y = x ORDER BY a",
                "SELECT a, b FROM l RIGHT JOIN r ON x = y AND a < b ORDER BY a, b",
                "SELECT * FROM (SELECT a, x FROM l WHERE a < 5) AS d RIGHT JOIN r ON x = y WHERE b > 1 ORDER BY a, b",
                "SELECT a, b, c FROM l JOIN r ON x = y LEFT JOIN e ON z = x RIGHT JOIN (SELECT 10 AS k, a AS j FROM l) AS d ON k = y AND j = b"
                        + " ORDER BY a, b, j",
                "SELECT a FROM l, (SELECT max(y) AS m FROM r) AS d WHERE x < m ORDER BY a",
                "WITH d AS (SELECT y, count(*) AS n FROM r GROUP BY y), f (k, m) AS (SELECT y, n + 1 FROM d WHERE n > 1)"
                        + " SELECT p.y, p.n, q.n, m FROM d p, d q, f WHERE p.y = q.y AND f.k = p.y ORDER BY 1",
                "WITH d AS (SELECT a AS k, x AS v FROM l WHERE x > 10) SELECT p.k, q.v FROM d p, d q WHERE p.k = q.k ORDER BY 1",
                "SELECT k, count(*) FROM (SELECT t AS k FROM l) AS d GROUP BY k ORDER BY k",
                "SELECT t, sum(x) AS s FROM l GROUP BY t HAVING sum(x) > (SELECT min(y) FROM r) ORDER BY t",
                "SELECT t, count(*) FROM l GROUP BY t HAVING EXISTS (SELECT 1 FROM r WHERE u = t) ORDER BY t",
                "SELECT s + 1 FROM (SELECT sum(v) AS s FROM (SELECT x AS v FROM l WHERE x IS NOT NULL) AS i) AS o",
                "SELECT a FROM (SELECT a, x FROM l ORDER BY a DESC LIMIT 3) AS d WHERE x > 5 ORDER BY a",
                "SELECT t, x FROM l x1 WHERE x = (SELECT max(x) FROM l x2 WHERE x2.t = x1.t) ORDER BY t, x",
                "SELECT CASE WHEN EXISTS (SELECT 1 FROM r WHERE b = a AND y > 10) THEN 'yes' ELSE 'no' END AS k, count(*)"
                        + " FROM l GROUP BY CASE WHEN EXISTS (SELECT 1 FROM r WHERE b = a AND y > 10) THEN 'yes' ELSE 'no' END ORDER BY k"
            })
    void subQueriesStandAnywhere(String sql) throws SQLException {
        same(sql);
    }

    private static void same(String sql) throws SQLException {
        String table = sql.contains(" FROM l") ? "l" : sql.contains(" FROM e") ? "e" : "r";
        same(table, sql);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT a FROM l WHERE x = (SELECT y FROM r) | INVALID_ARGUMENT | line 1, column 27: the sub-query has 5 rows",
                "SELECT a FROM l WHERE x = (SELECT y FROM r WHERE u = t) | INVALID_ARGUMENT | More than one row",
                "SELECT a FROM l WHERE x IN (SELECT u FROM r) | INVALID_ARGUMENT | line 1, column 23",
                "SELECT a FROM l WHERE x IN (SELECT b, y FROM r) | INVALID_ARGUMENT | line 1, column 23",
                "SELECT a FROM l WHERE x IN (SELECT nosuch FROM r) | INVALID_ARGUMENT | line 1, column 36: Column 'nosuch' not found",
                "SELECT a FROM l WHERE EXISTS (SELECT 1 FROM r WHERE y > x) | UNSUPPORTED | without an equality",
                "SELECT a FROM l WHERE x > ALL (SELECT y FROM r) | UNSUPPORTED | line 1, column 23",
                "SELECT a FROM l WHERE x = (SELECT y FROM r WHERE u = t LIMIT 1) | UNSUPPORTED | LIMIT or OFFSET in a sub-query",
                "SELECT a FROM l WHERE x IN (SELECT max(y) FROM r WHERE u = t) | UNSUPPORTED | an aggregate without GROUP BY",
                "SELECT a FROM l WHERE EXISTS (SELECT 1 FROM r WHERE b = a AND EXISTS (SELECT 1 FROM e WHERE c = b AND z = x)) | UNSUPPORTED | further out",
                "SELECT a, (SELECT x + y FROM r WHERE b = a) FROM l | UNSUPPORTED | line 1, column 19: a column of the query around",
                "SELECT a FROM l UNION SELECT b FROM r | UNSUPPORTED | UNION is not supported",
                "SELECT * FROM (SELECT p.x, q.x FROM l p JOIN l q ON p.a = q.a) AS d | INVALID_ARGUMENT | line 1, column",
                "SELECT * FROM (SELECT max(a) AS m FROM l) | UNSUPPORTED | without a name",
                "SELECT a FROM (SELECT a FROM l UNION SELECT b FROM r) AS d | UNSUPPORTED | UNION is not supported",
                "SELECT x / (SELECT y - y FROM r WHERE b = 1) FROM l | INVALID_ARGUMENT | division by zero"
            })
    void whatIsWrongIsRefusedWhereItStands(String sql, ErrorCode code, String message) {
        assertThatThrownBy(() -> cluster.ask("l", sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message)
                // An error that depends on values has no place in the statement.
                .hasMessageMatching(
                        message.equals("division by zero") || message.startsWith("More than one row")
                                ? "(?s).*"
                                : "(?s).*line 1, column \\d+.*");
    }

    /** Number of queries: {@code -Duniserve.parity.queries}; seed: {@code -Duniserve.parity.seed}, else that of the day. */
    @Test
    void randomQueriesAreAnsweredAsByOneEngine() throws SQLException {
        long seed = Long.getLong("uniserve.parity.seed", Long.getLong("uniserve.parity.day", 20261122));
        int count = Integer.getInteger("uniserve.parity.queries", 500);
        LOG.warn("{} generated queries with -Duniserve.parity.seed={}", count, seed);
        RandomQueries queries = new RandomQueries(new Random(seed));
        int empty = 0;
        for (int i = 0; i < count; i++) {
            String sql = queries.next();
            String told = "query " + i + " of -Duniserve.parity.seed=" + seed + ": " + sql;
            String expected = cluster.expected(sql);
            try {
                assertThat(TpchCluster.rows(cluster.ask(TpchCluster.table(sql), sql)))
                        .as(told)
                        .isEqualTo(expected);
            } catch (UniserveException e) {
                throw new AssertionError(told, e);
            }
            empty += expected.equals("[]") ? 1 : 0;
        }
        assertThat(empty).as("answers without a row").isLessThan(count / 3);
    }

    @Test
    void conditionsOnTheKeyLeaveActorsOut() throws SQLException {
        String sql = "SELECT count(*), sum(o_totalprice) FROM orders WHERE o_orderkey = 7";
        assertThat(TpchCluster.rows(cluster.ask("orders", sql))).isEqualTo(cluster.expected(sql));
        assertThat(cluster.ask("orders", "EXPLAIN " + sql)).startsWith("partial at 1 of 3 actors of orders: 1 row;");
        String join = "SELECT o_orderdate, l_linenumber, l_comment FROM orders JOIN lineitem ON o_orderkey = l_orderkey"
                + " WHERE o_orderkey = 33 AND l_orderkey IN (33, 34) ORDER BY 2";
        assertThat(TpchCluster.rows(cluster.ask("orders", join))).isEqualTo(cluster.expected(join));
        assertThat(cluster.ask("orders", "EXPLAIN " + join)).containsPattern("from 1 of 3 actors of orders: 1 row,");
        String none = "SELECT count(*) FROM orders WHERE 9223372036854775808 = o_orderkey OR o_orderkey = 1";
        assertThat(TpchCluster.rows(cluster.ask("orders", none))).isEqualTo(cluster.expected(none));
    }
}
