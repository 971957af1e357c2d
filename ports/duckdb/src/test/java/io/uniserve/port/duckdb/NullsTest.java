package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Small tables with values that are missing, on some of whose actors there is no row; answers are those of one DuckDB. */
class NullsTest {
    private static final Logger LOG = LoggerFactory.getLogger(NullsTest.class);

    @TempDir
    static Path directory;

    private static TpchCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TpchCluster(directory);
        Random random = new Random(7);
        load("t", "bigint", 3, IntStream.range(-2, 40).mapToObj(String::valueOf).toList(), random);
        load(
                "u",
                "varchar",
                6,
                "a b c d e f g h i é ab a_b 😀 𝒜 ﬁ ～ e\u0301 \uffff"
                        .lines()
                        .flatMap(all -> List.of(all.split(" ")).stream())
                        .toList(),
                random);
        load("v", "integer", 2, IntStream.range(0, 25).mapToObj(String::valueOf).toList(), random);
        load("o", "bigint", 4, List.of("3"), random);
        load("e", "bigint", 2, List.of(), random);
    }

    private static void load(String table, String key, int actors, List<String> keys, Random random) throws Exception {
        cluster.load(
                new Tpch.Table(table, "id", "id " + key + RandomNulls.COLUMNS),
                actors,
                1,
                keys.stream().map(one -> one + "|" + RandomNulls.row(random)).toList());
    }

    @AfterAll
    static void stop() throws SQLException {
        cluster.close();
    }

    private static String ask(String sql) {
        return TpchCluster.rows(cluster.ask(sql.replaceFirst("(?s).*?\\bFROM ([tuvoe])\\b.*", "$1"), sql));
    }

    /** As many as {@code -Duniserve.parity.nulls} says, of {@code -Duniserve.parity.seed}, else of the day. */
    @Test
    void randomQueriesAreAnsweredAsByOneEngine() {
        long seed = Long.getLong("uniserve.parity.seed", Long.getLong("uniserve.parity.day", 20261123));
        int count = Integer.getInteger("uniserve.parity.nulls", 150);
        LOG.warn("{} generated queries with -Duniserve.parity.seed={}", count, seed);
        RandomNulls queries = new RandomNulls(new Random(seed));
        int answered = 0;
        int rows = 0;
        for (int i = 0; i < count; i++) {
            String sql = queries.next();
            String told = "query " + i + " of -Duniserve.parity.seed=" + seed + ": " + sql;
            String expected;
            try {
                expected = cluster.expected(sql);
            } catch (SQLException | UniserveException e) {
                // A value that is out of range there is so here.
                assertThatThrownBy(() -> ask(sql)).as(told).isInstanceOf(UniserveException.class);
                continue;
            }
            try {
                assertThat(ask(sql)).as(told).isEqualTo(expected);
                answered++;
                rows += expected.equals("[]") ? 0 : 1;
            } catch (UniserveException e) {
                if (e.code() != ErrorCode.UNSUPPORTED) {
                    throw new AssertionError(told, e);
                }
            }
        }
        assertThat(answered).as("answered").isGreaterThan(count * 4 / 5);
        assertThat(rows).as("answers with rows").isGreaterThan(count / 3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a, count(*) FILTER (WHERE b > 1), sum(c) FILTER (WHERE f) FROM t GROUP BY a ORDER BY a",
                "SELECT count(*) FILTER (WHERE FALSE), sum(a) FILTER (WHERE FALSE), count(DISTINCT s) FILTER (WHERE a"
                        + " > 1) FROM t",
                "SELECT id, (SELECT count(*) FILTER (WHERE u.b > 2) FROM u WHERE u.a = t.a) FROM t ORDER BY id",
                "SELECT a FROM t GROUP BY a HAVING count(*) FILTER (WHERE b > 1) > 1 ORDER BY sum(b) FILTER (WHERE b >"
                        + " 1), a",
                "SELECT id FROM t WHERE a IS DISTINCT FROM b ORDER BY id",
                "SELECT id FROM t WHERE a IS NOT DISTINCT FROM b ORDER BY id",
                "SELECT count(*) FROM t LEFT JOIN u ON t.a = u.a AND t.s IS DISTINCT FROM u.s",
                "SELECT f IS TRUE, f IS NOT TRUE, f IS FALSE, f IS NOT FALSE, f IS UNKNOWN, f IS NOT UNKNOWN FROM t"
                        + " ORDER BY id",
                "SELECT id FROM t WHERE (a IN (SELECT a FROM u WHERE u.b = t.b)) IS NOT TRUE ORDER BY id",
                "WITH Q AS (SELECT a FROM t), r AS (SELECT a FROM q WHERE a > 1) SELECT count(*) FROM R",
                "WITH T AS (SELECT id, a + 100 AS a FROM u) SELECT a FROM t ORDER BY a LIMIT 3",
                "WITH q AS (SELECT a FROM t) SELECT count(*) FROM u WHERE a IN (WITH Q AS (SELECT b AS a FROM t WHERE"
                        + " b > 2) SELECT a FROM q) AND b IN (SELECT a FROM Q)",
                "SELECT CAST(c AS DECIMAL(10)), s LIKE 'a!!' ESCAPE '!' FROM t ORDER BY id",
                "SELECT count(*) FROM t ; "
            })
    void whatWasRefusedIsAnswered(String sql) throws SQLException {
        assertThat(ask(sql)).isEqualTo(cluster.expected(sql));
    }

    /** Which rows want a sub-query depends on what another one of the same query answers. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT d.k, (SELECT max(b) FROM u WHERE u.a = d.m AND NOT EXISTS (SELECT 1 FROM v WHERE v.s = u.s))"
                        + " FROM (SELECT id AS k, (SELECT max(a) FROM u WHERE u.s = t.s) AS m FROM t) AS d ORDER BY 1",
                "SELECT d.k FROM (SELECT id AS k, (SELECT max(a) FROM u WHERE u.s = t.s) AS m FROM t) AS d WHERE"
                        + " EXISTS (SELECT 1 FROM u WHERE u.a = d.m + 1 AND u.b NOT IN (SELECT b FROM v WHERE v.s = u.s))"
                        + " ORDER BY 1"
            })
    void subQueriesOfAnswersOfSubQueries(String sql) throws SQLException {
        assertThat(ask(sql)).isEqualTo(cluster.expected(sql));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "WITH q AS (SELECT a FROM t), Q AS (SELECT b AS a FROM t) SELECT a FROM q | line 1, column 30: WITH"
                        + " names Q twice",
                "SELECT s LIKE 'a!' ESCAPE '!' FROM t | line 1, column 15: the pattern ends",
                "SELECT s LIKE 'a' ESCAPE 'xx' FROM t | line 1, column 26: ESCAPE needs one character",
                "SELECT s LIKE 'a' ESCAPE s FROM t | Invalid escape string",
                "SELECT CAST(a AS DECIMAL(39, 2)) FROM t | line 1, column 18: CAST to DECIMAL(39, 2)",
                "SELECT CAST(a AS DECIMAL(3, 5)) FROM t | line 1, column 18: CAST to DECIMAL(3, 5)",
                "SELECT CAST(a AS DECIMAL(0, 0)) FROM t | DECIMAL precision 0"
            })
    void whatIsWrongIsNoFaultOfThePort(String sql, String message) {
        assertThatThrownBy(() -> ask(sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(message);
    }
}
