package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.seed.Seed;
import io.uniserve.testkit.seed.SeededTest;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Joins on a cluster of two servers; answers equal those of one DuckDB with all rows. */
class TpchJoinsTest {
    private static final double SCALE = 0.01;

    @TempDir
    static Path directory;

    private static TpchCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TpchCluster(directory);
        cluster.load(Tpch.LINEITEM, 4, 1, SCALE);
        cluster.load(Tpch.ORDERS, 3, 1, SCALE);
        cluster.load(Tpch.CUSTOMER, 3, 1, SCALE);
        cluster.load(Tpch.PART, 2, 1, SCALE);
        cluster.load(Tpch.SUPPLIER, 2, 1, SCALE);
        cluster.load(Tpch.NATION, 2, 1, SCALE);
        cluster.load(Tpch.REGION, 1, 1, SCALE);
    }

    @AfterAll
    static void stop() throws SQLException {
        cluster.close();
    }

    private static String ask(String sql) {
        return cluster.ask(TpchCluster.table(sql), sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                Tpch.Q3,
                Tpch.Q5,
                Tpch.Q10,
                Tpch.Q12,
                Tpch.Q14,
                Tpch.Q19,
                "SELECT n_name, r_name FROM nation JOIN region ON n_regionkey = r_regionkey ORDER BY n_name",
                "SELECT c_name, n.* FROM customer c, nation n WHERE c.c_nationkey = n.n_nationkey AND c_custkey < 20"
                        + " ORDER BY c_custkey",
                "SELECT n1.n_name, n2.n_name, count(*) AS n FROM supplier, customer, nation n1, nation n2"
                        + " WHERE s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey"
                        + " AND n1.n_regionkey = n2.n_regionkey AND s_suppkey < 10 GROUP BY n1.n_name, n2.n_name"
                        + " ORDER BY n DESC, 1, 2 LIMIT 30",
                "SELECT c_custkey, count(o_orderkey) AS n, max(o_totalprice) FROM customer LEFT JOIN orders"
                        + " ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%' AND o_orderdate < date '1993-01-01'"
                        + " GROUP BY c_custkey ORDER BY n DESC, c_custkey LIMIT 50",
                "SELECT count(*), count(o_orderkey) FROM customer LEFT JOIN orders ON c_custkey = o_custkey"
                        + " WHERE o_orderkey IS NULL",
                "SELECT s_name, n_name, r_name FROM supplier LEFT JOIN (nation JOIN region ON n_regionkey = r_regionkey"
                        + " AND r_name = 'ASIA') ON s_nationkey = n_nationkey AND s_acctbal > 0 ORDER BY s_suppkey LIMIT 40",
                "SELECT count(*) FROM nation, region WHERE n_regionkey = r_regionkey AND r_name = 'ATLANTIS'",
                "SELECT DISTINCT o_orderpriority, c_mktsegment FROM orders JOIN customer ON o_custkey = c_custkey"
                        + " ORDER BY 1, 2"
            })
    void answersAreThoseOfOneEngineWithAllRows(String sql) throws SQLException {
        assertThat(TpchCluster.rows(ask(sql))).isEqualTo(cluster.expected(sql));
    }

    @Test
    void rowsOfMoreThanAMegabyteAreSent() throws SQLException {
        String sql =
                "SELECT count(*), max(l_comment), min(l_shipinstruct), sum(l_extendedprice), max(l_partkey), min(l_shipdate),"
                        + " max(l_commitdate), max(l_receiptdate) FROM orders LEFT JOIN lineitem ON o_orderkey = l_orderkey";
        assertThat(TpchCluster.rows(ask(sql))).isEqualTo(cluster.expected(sql));
        String plan = cluster.ask("orders", "EXPLAIN " + sql);
        assertThat(Long.parseLong(
                        plan.replaceFirst("(?s).*rows, ([\\d,]+) bytes.*", "$1").replace(",", "")))
                .as(plan)
                .isGreaterThan(1 << 20);
    }

    @SeededTest(seeds = 40)
    void soAreThoseOfRandomJoins(@Seed long seed) throws SQLException {
        String sql = new RandomJoins(new Random(seed)).next();
        assertThat(TpchCluster.rows(ask(sql))).as(sql).isEqualTo(cluster.expected(sql));
    }

    @Test
    void whatIsSentIsExplained() {
        String plan = cluster.ask("lineitem", "explain " + Tpch.Q3);
        // A server with a recent count does not count again.
        assertThat(plan.replaceAll("; [0-9.]+ ms", "")
                        .replaceAll("[\\d,]+ bytes", "N bytes")
                        // Server ids differ per run.
                        .replaceAll("2 servers \\([0-9a-f]{8}, [0-9a-f]{8}\\)", "2 servers (ID, ID)")
                        .replaceAll("on server [0-9a-f]{8}", "on server ID")
                        .replaceFirst("^(in place: .*); N bytes read of 2 servers \\(ID, ID\\)\n", "$1\n"))
                .isEqualTo("""
                        in place: lineitem, about 32,260 rows
                        broadcast customer from 3 actors of customer: 337 rows, N bytes of about 337 rows that its conditions leave; N bytes read of 2 servers (ID, ID)
                            SELECT "c_custkey" AS c0 FROM rows WHERE ("c_mktsegment" = 'BUILDING') LIMIT 1000001
                        send by key orders from 3 actors of orders: 1,797 rows, N bytes of about 7,286 rows that its conditions leave, those with partners in customer; N bytes read of 2 servers (ID, ID)
                            SELECT "o_orderdate" AS c0, "o_shippriority" AS c1, "o_custkey" AS c2, "o_orderkey" AS c3 FROM rows WHERE ("o_orderdate" < DATE '1995-03-15') AND "o_custkey" IN (SELECT c0 FROM b0) LIMIT 1000001
                        groups at 4 actors of lineitem: 40 rows; N bytes read of 2 servers (ID, ID)
                            SELECT c0, c1, c2, c3 FROM (SELECT c0, c1, c2, max(c3) AS c3, sum(c3) AS o0, c1 AS o1 FROM (SELECT rows."l_orderkey" AS c0, b1.c0 AS c1, b1.c1 AS c2, sum((rows."l_extendedprice" * (1 - rows."l_discount"))) AS c3 FROM ((b0 CROSS JOIN b1) CROSS JOIN rows) WHERE (rows."l_shipdate" > DATE '1995-03-15') AND (b0.c0 = b1.c2) AND (rows."l_orderkey" = b1.c3) GROUP BY 1, 2, 3) AS parts GROUP BY c0, c1, c2) AS tops ORDER BY o0 DESC, o1 LIMIT 10
                        finish: 10 rows, on server ID
                            SELECT c0, sum(c3), c1, c2 FROM parts GROUP BY c0, c1, c2 ORDER BY 2 DESC, 3 LIMIT 10
                        answer: 10 rows
                        """);
        assertThat(cluster.ask("lineitem", "EXPLAIN\n" + Tpch.Q6))
                .startsWith("partial at 4 actors of lineitem: 4 rows");
        assertThatThrownBy(() -> cluster.ask("lineitem", "EXPLAIN SELECT nosuch FROM lineitem"))
                .hasMessageContaining("line 1, column 8: Column 'nosuch' not found");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT 1 FROM nation, nosuch WHERE n_nationkey = x     | INVALID_ARGUMENT | line 1, column 23: table nosuch does not exist",
                "SELECT 1 FROM nation a, nation b WHERE n_nationkey = 1 | INVALID_ARGUMENT | line 1, column 40: Column 'n_nationkey' is ambiguous",
                "SELECT 1 FROM nation, region WHERE n_name = r_regionkey| INVALID_ARGUMENT | line 1, column 36: a VARCHAR cannot be compared",
                "SELECT 1 FROM nation, region                           | UNSUPPORTED      | line 1, column 23: a join without an equality",
                "SELECT 1 FROM nation FULL JOIN region ON n_regionkey = r_regionkey | UNSUPPORTED | line 1, column 27: FULL JOIN is not supported",
                "SELECT n_nationkey / (r_regionkey - r_regionkey) FROM nation, region WHERE n_regionkey = r_regionkey | INVALID_ARGUMENT | division by zero",
                "SELECT 9223372036854775807 + n_nationkey FROM nation, region WHERE n_regionkey = r_regionkey | INVALID_ARGUMENT | Out of Range"
            })
    void whatIsWrongIsRefused(String sql, ErrorCode code, String message) {
        assertThatThrownBy(() -> cluster.ask("nation", sql))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }
}
