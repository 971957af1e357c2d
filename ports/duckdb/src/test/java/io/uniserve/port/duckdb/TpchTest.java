package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.CancellableJdbcExecutor;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SQL on a cluster of two servers and five actors, compared with one DuckDB with all rows that gets the text unchanged. */
class TpchTest {
    private static final double SCALE = 0.01;

    @TempDir
    static Path directory;

    private static TpchCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TpchCluster(directory);
        cluster.load(Tpch.LINEITEM, 5, 2, SCALE);
    }

    @AfterAll
    static void stop() throws SQLException {
        cluster.close();
    }

    private static String ask(String sql) {
        return cluster.ask("lineitem", sql);
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
        assertThat(TpchCluster.rows(ask(sql))).isEqualTo(cluster.expected(sql));
    }

    @Test
    void aLaterRowReplacesAndDeletedOnesGo() throws SQLException {
        String count = "SELECT count(*), sum(l_quantity) FROM lineitem WHERE l_orderkey < 100";
        String before = ask(count);
        List<Document> some =
                Tpch.documents(Tpch.LINEITEM, Tpch.LINEITEM.lines(SCALE).subList(0, 50), cluster.columns("lineitem"));
        cluster.put("lineitem", "duckdb.delete@1", some);
        assertThat(ask(count)).isNotEqualTo(before);
        cluster.put("lineitem", "duckdb.put@1", some);
        cluster.put("lineitem", "duckdb.put@1", some);
        assertThat(ask(count)).isEqualTo(before);
        assertThat(TpchCluster.rows(ask(Tpch.Q1))).isEqualTo(cluster.expected(Tpch.Q1));
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

    /** The engine's own average rounds twice, so its last digit may differ. */
    @Test
    void averagesAreThoseOfTheEngine() throws SQLException {
        String sql = "SELECT avg(l_extendedprice) FROM lineitem";
        String ours = TpchCluster.rows(ask(sql)).replaceAll("[^0-9.]", "");
        String theirs = String.valueOf(CancellableJdbcExecutor.answer(cluster.whole(), sql)
                .rows()
                .get(0)
                .get(0));
        assertThat(Double.parseDouble(ours)).isCloseTo(Double.parseDouble(theirs), within(1e-9));
    }
}
