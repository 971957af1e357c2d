package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Resolution of names that both columns and other expressions have, and rows without keys; answers equal those of one DuckDB. */
class SmallTablesTest {
    private static final String LIMITS = "uniserve.sql.limits-scale";

    private static final Tpch.Table T = new Tpch.Table("t", "id", "id bigint, a bigint, b bigint, s varchar");
    private static final Tpch.Table U = new Tpch.Table("u", "id", "id bigint, a bigint, x double");
    private static final Tpch.Table BIG = new Tpch.Table("big", "id", "id bigint, v bigint");
    private static final Tpch.Table E = new Tpch.Table("e", "id", "id bigint, big_id bigint, kind integer");

    @TempDir
    static Path directory;

    private static TpchCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TpchCluster(directory);
        cluster.load(T, 3, 1, List.of("1|10|2|x|", "2|20|1|X|", "3|30|5|y|", "4|20|7|y|", "5|10|3||"));
        cluster.load(U, 2, 1, List.of("1|5|0.5|", "2|7|1000000000000000000|", "3|7|-1|"));
        cluster.load(
                BIG,
                3,
                1,
                IntStream.range(0, 2_000).mapToObj(i -> i + "|" + i % 7 + "|").toList());
        // Most rows of kind 3 have no partner, which is marked by NULL.
        cluster.load(
                E,
                1,
                1,
                IntStream.range(0, 1_600)
                        .mapToObj(
                                i -> i + "|" + (i % 5 == 4 ? String.valueOf(i) : "") + "|" + (i < 1_500 ? 3 : 4) + "|")
                        .toList());
    }

    @AfterAll
    static void stop() throws SQLException {
        cluster.close();
    }

    private static String ask(String sql) {
        return cluster.ask(sql.replaceFirst("(?s).*? FROM (\\w+).*", "$1"), sql);
    }

    private static void same(String sql) throws SQLException {
        assertThat(TpchCluster.rows(ask(sql))).as(sql).isEqualTo(cluster.expected(sql));
    }

    /** An actor returns at most one row above the limit; without the rows that match no key they are few. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT count(*), sum(v), max(e.id) FROM big JOIN e ON e.big_id = big.id WHERE e.kind = 3",
                "SELECT count(*), count(e.id), max(e.id) FROM big LEFT JOIN e ON e.big_id = big.id AND e.kind = 3",
                "SELECT count(*), count(e.id), max(e.id) FROM e RIGHT JOIN big ON e.big_id = big.id AND e.kind = 3"
            })
    void rowsWithoutKeysPushNoOthersOut(String sql) throws SQLException {
        System.setProperty(LIMITS, "0.001");
        try {
            same(sql);
        } finally {
            System.clearProperty(LIMITS);
        }
    }

    /** At most a hundred rows or groups of a whole table may be sent on: a part must never pass for all of them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "id IN (SELECT v FROM big)",
                "id NOT IN (SELECT id % 100 FROM big)",
                "id IN (SELECT id % 100 FROM big GROUP BY id % 100)",
                "id IN (SELECT max(id) FROM big GROUP BY id % 100)",
                "id IN (SELECT DISTINCT v FROM big GROUP BY v, id)",
                "id IN (SELECT count(DISTINCT id) FROM big GROUP BY v)",
                "id IN (SELECT id FROM big GROUP BY id HAVING max(id) > 1950)",
                "id IN (SELECT id FROM big GROUP BY id ORDER BY id DESC LIMIT 3)",
                "id IN (SELECT id FROM big ORDER BY id DESC LIMIT 100)",
                "id IN (SELECT id FROM big ORDER BY id DESC LIMIT 10 OFFSET 1500)",
                "id < (SELECT count(*) FROM e WHERE kind = v) ",
                "id < (SELECT id FROM big ORDER BY id DESC LIMIT 1)",
                "EXISTS (SELECT 1 FROM big)",
                "id IN (SELECT id FROM big)"
            })
    void subQueriesOverALargeTableOfFewValuesAreAnswered(String condition) throws SQLException {
        System.setProperty(LIMITS, "0.001");
        try {
            same("SELECT count(*), sum(id) FROM big WHERE " + condition);
        } finally {
            System.clearProperty(LIMITS);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "v + id IN (SELECT id FROM big)",
                "id NOT IN (SELECT id % 101 FROM big)",
                "id IN (SELECT id % 101 FROM big GROUP BY id % 101)",
                "id IN (SELECT count(DISTINCT id) FROM big GROUP BY id % 101)",
                "id IN (SELECT id FROM big ORDER BY id DESC LIMIT 101)",
                "EXISTS (SELECT 1 FROM e WHERE e.id = big.id AND kind <> v)",
                "id < (SELECT sum(kind) FROM e WHERE e.id = big.id)"
            })
    void thoseOfManyValuesAreRefused(String condition) {
        System.setProperty(LIMITS, "0.001");
        try {
            assertThatThrownBy(() -> ask("SELECT count(*) FROM big WHERE " + condition))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE))
                    .hasMessageMatching(
                            "(?s).*line 1, column \\d+: the sub-query has more than 100 rows or groups of all"
                                    + " those of table (big|e); .*");
        } finally {
            System.clearProperty(LIMITS);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT upper(s) AS s, count(*) FROM t GROUP BY s ORDER BY 1, 2",
                "SELECT upper(s) AS S, count(*) FROM t GROUP BY s ORDER BY 1, 2",
                "SELECT upper(t.s) AS s, count(*) FROM t GROUP BY t.s ORDER BY 1, 2",
                "SELECT upper(s) AS s, count(*) FROM t GROUP BY upper(s) ORDER BY 1, 2",
                "SELECT upper(s) AS z, count(*) FROM t GROUP BY z ORDER BY 1, 2",
                "SELECT upper(s) AS s, s AS z, count(*) FROM t GROUP BY s ORDER BY 1, 2",
                "SELECT a % 20 AS a, count(*) FROM t GROUP BY a ORDER BY 1, 2",
                "SELECT a % 20 + 1 AS a, count(*) FROM t GROUP BY a % 20 ORDER BY 1, 2",
                "SELECT a + b AS a, count(*) FROM t GROUP BY a, b ORDER BY 1, 2",
                "SELECT max(b) AS a FROM t GROUP BY a ORDER BY 1",
                "SELECT max(b) AS a FROM t GROUP BY a HAVING a > 15 ORDER BY 1",
                "SELECT max(b) AS a FROM t GROUP BY t.a HAVING a > 15 ORDER BY 1",
                "SELECT max(b) AS a FROM t GROUP BY s HAVING a > 3 ORDER BY 1",
                "SELECT sum(b) AS b FROM t HAVING b > 1",
                "SELECT s, sum(b) AS b FROM t GROUP BY s HAVING b > 4 ORDER BY 1",
                "SELECT upper(s) AS x, count(*) FROM t GROUP BY x HAVING x = 'X' ORDER BY 1",
                "SELECT -a AS a, count(*) FROM t WHERE id > 0 GROUP BY a HAVING a = 10 OR sum(b) > 7 ORDER BY 1",
                "SELECT -a AS a, count(*) FROM t GROUP BY a HAVING sum(a) > 35 ORDER BY 1",
                "SELECT -a AS a, count(*) FROM t GROUP BY a ORDER BY a + 0",
                "SELECT -a AS a, count(*) FROM t GROUP BY a ORDER BY -a",
                "SELECT max(a) AS s, s AS q FROM t GROUP BY q HAVING s = 'x'",
                "SELECT max(b) AS a, a % 20 AS z FROM t GROUP BY a % 20 HAVING a > 6 ORDER BY 1",
                "SELECT a % 20 AS a, count(*) FROM t GROUP BY a % 20 HAVING a = 10 ORDER BY 1",
                "SELECT id FROM t WHERE EXISTS (SELECT upper(s) AS s FROM t GROUP BY s HAVING s = 'x') ORDER BY 1",
                "SELECT upper(n.s) AS s, count(*) FROM t AS n GROUP BY s HAVING s < 'a' ORDER BY 1",
                "WITH w AS (SELECT s, b FROM t GROUP BY s, b) SELECT upper(s) AS s, sum(b) FROM w GROUP BY s ORDER BY 1, 2",
                "SELECT q.s, q.n FROM (SELECT upper(s) AS s, count(*) AS n FROM t GROUP BY s) AS q ORDER BY 1, 2",
                "SELECT upper(s) AS s, count(*) FROM (SELECT s, a FROM t WHERE a > 0) AS q GROUP BY s ORDER BY 1, 2",
                "SELECT upper(s) AS s, count(*) FROM t JOIN u ON t.id = u.id GROUP BY s ORDER BY 1, 2",
                "SELECT id FROM t WHERE a IN (SELECT max(a) AS b FROM t GROUP BY b) ORDER BY 1",
                "SELECT (SELECT max(u.a) AS s FROM u) AS s, count(*) FROM t GROUP BY s ORDER BY 1, 2"
            })
    void groupsAreByColumnsBeforeAliases(String sql) throws SQLException {
        same(sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT *, -a AS a FROM t WHERE id <> 5 AND id <> 4 ORDER BY a LIMIT 1",
                "SELECT -a AS a, * FROM t WHERE id <> 5 AND id <> 4 ORDER BY a LIMIT 1",
                "SELECT t.*, -a AS a FROM t WHERE id <> 5 AND id <> 4 ORDER BY a DESC LIMIT 1",
                "SELECT -a AS x, id FROM t ORDER BY a, id LIMIT 1",
                "SELECT -a AS a, id FROM t ORDER BY t.a, id LIMIT 1",
                "SELECT -a AS a, id FROM t ORDER BY a + 0, id LIMIT 1",
                "SELECT max(b) AS a, s FROM t GROUP BY s ORDER BY a",
                "SELECT -a AS a, count(*) FROM t GROUP BY a ORDER BY a",
                "SELECT count(*) AS a, max(b) FROM t GROUP BY a ORDER BY a, 2",
                "SELECT DISTINCT -b AS a FROM t ORDER BY a LIMIT 1"
            })
    void ordersAreByAliasesBeforeColumns(String sql) throws SQLException {
        same(sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT id FROM t WHERE a = (SELECT a AS b FROM t ORDER BY b, id LIMIT 1) ORDER BY 1",
                "SELECT id FROM t WHERE a = (SELECT max(a) AS m FROM t GROUP BY s ORDER BY m DESC LIMIT 1) ORDER BY 1",
                "SELECT id FROM t WHERE a IN (SELECT a AS b FROM t ORDER BY b DESC LIMIT 1) ORDER BY 1",
                "SELECT id FROM t WHERE a IN (SELECT -b AS a FROM t ORDER BY a LIMIT 1) ORDER BY 1",
                "SELECT id FROM t WHERE EXISTS (SELECT max(a) AS m FROM u GROUP BY x ORDER BY m LIMIT 1) ORDER BY 1",
                "SELECT id, (SELECT max(a) AS m FROM u GROUP BY x ORDER BY m DESC LIMIT 1) AS z FROM t ORDER BY 1",
                "SELECT (SELECT a AS x FROM u ORDER BY x, id LIMIT 1) AS a, count(*) FROM t",
                "SELECT id FROM t WHERE a IN (SELECT a FROM t ORDER BY b DESC LIMIT 1) ORDER BY 1"
            })
    void soAreThoseOfSubQueries(String sql) throws SQLException {
        same(sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT t.*, u.* FROM t JOIN u ON t.id = u.id ORDER BY a LIMIT 1",
                "SELECT u.a, t.a FROM t JOIN u ON t.id = u.id ORDER BY a LIMIT 1",
                "SELECT -t.a AS a, count(*) FROM t JOIN u ON t.id = u.id GROUP BY a"
            })
    void namesOfTwoColumnsAreRefused(String sql) {
        assertThatThrownBy(() -> cluster.expected(sql)).hasMessageContaining("mbiguous");
        assertThatThrownBy(() -> ask(sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("mbiguous");
    }

    /** DuckDB takes the first of these. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a, -b AS a FROM t ORDER BY a LIMIT 1",
                "SELECT -a AS a, b AS a FROM t ORDER BY a LIMIT 1",
                "SELECT u.a, -t.a AS a FROM t JOIN u ON t.id = u.id ORDER BY a LIMIT 1"
            })
    void namesOfTwoAnswersAreRefused(String sql) {
        assertThatThrownBy(() -> ask(sql)).hasMessageContaining("Column 'a' is ambiguous");
    }

    @Test
    void keysAreComparedWithDoublesAsDoubles() throws Exception {
        long near = 1_000_000_000_000_000_001L;
        Tpch.Table far = new Tpch.Table("far", "id", "id bigint, v bigint");
        cluster.load(
                far,
                8,
                1,
                IntStream.range(0, 50).mapToObj(i -> near - 25 + i + "|1|").toList());
        same("SELECT count(*) FROM far WHERE id = 1e18");
        same("SELECT count(*) FROM far WHERE id IN (1e18, 3)");
        same("SELECT count(*) FROM far WHERE id = 1000000000000000000.0");
        same("SELECT count(*) FROM far WHERE id = 1000000000000000000");
        assertThat(ask("EXPLAIN SELECT count(*) FROM far WHERE id = 1000000000000000000"))
                .contains("1 of 8 actors");
    }
}
