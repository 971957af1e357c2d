package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.seed.Seed;
import io.uniserve.testkit.seed.SeededTest;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Co-located joins: tables are joined by their keys, and their actors are on the same servers. Answers equal those of one DuckDB with all
 * rows, also if an actor moves, rows change, or a server dies.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class BesideJoinsTest {
    private static final double SCALE = 0.01;

    private static final String COUNTED =
            "SELECT o_orderpriority, count(*) AS n, sum(l_quantity) AS q FROM orders, lineitem WHERE o_orderkey = l_orderkey"
                    + " AND o_totalprice > 1000 GROUP BY o_orderpriority ORDER BY 1";

    private static final String CHECKED = "SELECT o_orderpriority, count(*) AS n FROM orders WHERE NOT EXISTS"
            + " (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)"
            + " GROUP BY o_orderpriority ORDER BY 1";

    @TempDir
    static Path directory;

    private static TpchCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TpchCluster(directory, 3);
        cluster.load(Tpch.LINEITEM, 4, 2, SCALE);
        cluster.load(Tpch.ORDERS, 4, 2, SCALE);
        cluster.load(Tpch.CUSTOMER, 3, 2, SCALE);
        cluster.load(Tpch.PART, 2, 2, SCALE);
        cluster.load(Tpch.SUPPLIER, 2, 2, SCALE);
        cluster.load(Tpch.NATION, 2, 2, SCALE);
        cluster.load(Tpch.REGION, 1, 2, SCALE);
    }

    @AfterAll
    static void stop() throws SQLException {
        cluster.close();
    }

    private static String ask(String sql) {
        return cluster.ask(TpchCluster.table(sql), sql);
    }

    private static void same(String sql) throws SQLException {
        assertThat(TpchCluster.rows(ask(sql))).as(sql).isEqualTo(cluster.expected(sql));
    }

    @Order(1)
    @ParameterizedTest
    @ValueSource(
            strings = {
                Tpch.Q3,
                Tpch.Q5,
                COUNTED,
                "SELECT count(*), count(o_orderkey), min(o_orderdate), max(l_comment) FROM lineitem LEFT JOIN orders"
                        + " ON l_orderkey = o_orderkey AND o_orderdate < date '1995-01-01'",
                "SELECT count(*), count(l_orderkey), sum(l_quantity), max(o_comment) FROM orders LEFT JOIN lineitem"
                        + " ON o_orderkey = l_orderkey AND l_quantity > 10",
                "SELECT a.l_returnflag, b.l_linestatus, count(*) AS n, sum(b.l_quantity) AS q, min(b.l_comment) AS m"
                        + " FROM lineitem a, lineitem b WHERE a.l_orderkey = b.l_orderkey GROUP BY a.l_returnflag, b.l_linestatus"
                        + " ORDER BY 1, 2",
                "SELECT count(*), max(o_totalprice) FROM orders, lineitem a, lineitem b WHERE o_orderkey = a.l_orderkey"
                        + " AND a.l_orderkey = b.l_orderkey AND a.l_linenumber < b.l_linenumber AND o_orderstatus = 'F'",
                "SELECT o_orderpriority, count(*) FROM orders, lineitem WHERE o_orderkey = l_orderkey AND o_custkey IN"
                        + " (SELECT c_custkey FROM customer WHERE c_acctbal > 0) GROUP BY o_orderpriority ORDER BY 1",
                "SELECT o_orderpriority, (SELECT max(n_name) FROM nation), count(*) FROM orders, lineitem"
                        + " WHERE o_orderkey = l_orderkey AND o_totalprice > (SELECT avg(o_totalprice) FROM orders)"
                        + " GROUP BY o_orderpriority ORDER BY 1",
                "SELECT l_orderkey, l_linenumber, o_orderdate FROM orders, lineitem WHERE o_orderkey = l_orderkey"
                        + " AND l_quantity = 50 ORDER BY 1, 2 LIMIT 100",
                "SELECT o_orderkey, o_clerk, sum(l_quantity) AS q FROM orders, lineitem WHERE o_orderkey = l_orderkey"
                        + " GROUP BY o_orderkey, o_clerk HAVING sum(l_quantity) > 150 ORDER BY q DESC, o_orderkey LIMIT 7"
            })
    void whatHasTheSameKeysIsJoinedWhereItIs(String sql) throws SQLException {
        assertThat(ask("EXPLAIN " + sql)).contains("joined beside it: ").doesNotContain("once more");
        same(sql);
    }

    @Order(1)
    @Test
    void whatIsJoinedWhereIsExplained() {
        // Two replicas on three servers: two servers are called, or all, depending on the replicas. A server with a
        // recent count does not count again.
        assertThat(ask("EXPLAIN " + Tpch.Q3)
                        .replaceAll("; [0-9.]+ ms", "")
                        .replaceAll("[\\d,]+ bytes", "N bytes")
                        .replaceAll("read of [23] servers \\([0-9a-f]{8}(, [0-9a-f]{8})+\\)", "read of N servers")
                        .replaceAll("on server [0-9a-f]{8}", "on server ID")
                        .replaceFirst("^(in place: .*); N bytes read of N servers\n", "$1\n"))
                .isEqualTo("""
                        in place: lineitem, about 32,260 rows
                        joined beside it: orders, about 7,286 rows
                            SELECT "o_orderdate" AS c0, "o_shippriority" AS c1, "o_custkey" AS c2, "o_orderkey" AS c3 FROM orders AS rows WHERE ("o_orderdate" < DATE '1995-03-15')
                        broadcast customer from 3 actors of customer: 337 rows, N bytes of about 337 rows that its conditions leave; N bytes read of N servers
                            SELECT "c_custkey" AS c0 FROM rows WHERE ("c_mktsegment" = 'BUILDING') LIMIT 1000001
                        groups at 4 actors of lineitem: 40 rows; N bytes read of N servers
                            SELECT c0, c1, c2, c3 FROM (SELECT c0, c1, c2, max(c3) AS c3, sum(c3) AS o0, c1 AS o1 FROM (SELECT rows."l_orderkey" AS c0, b1.c0 AS c1, b1.c1 AS c2, sum((rows."l_extendedprice" * (1 - rows."l_discount"))) AS c3 FROM ((b0 CROSS JOIN b1) CROSS JOIN rows) WHERE (rows."l_shipdate" > DATE '1995-03-15') AND (b0.c0 = b1.c2) AND (rows."l_orderkey" = b1.c3) GROUP BY 1, 2, 3) AS parts GROUP BY c0, c1, c2) AS tops ORDER BY o0 DESC, o1 LIMIT 10
                        finish: 10 rows, on server ID
                            SELECT c0, sum(c3), c1, c2 FROM parts GROUP BY c0, c1, c2 ORDER BY 2 DESC, 3 LIMIT 10
                        answer: 10 rows
                        """);
    }

    /** The selected orders are few enough to reduce the customers that are sent. */
    @Order(1)
    @Test
    void whatMakesALargerTableSmallerIsSent() throws SQLException {
        String some = Tpch.Q10.replace("GROUP BY", "AND c_acctbal > -100000 GROUP BY");
        assertThat(ask("EXPLAIN " + some)).doesNotContain("joined beside it").doesNotContain("after the groups");
        same(some);
    }

    /** Of customers and their nations the query needs only columns that are shown. */
    @Order(1)
    @Test
    void whatOnlyShowsComesAfterTheGroups() throws SQLException {
        String years = Tpch.Q10.replace("interval '3' month", "interval '3' year");
        assertThat(ask("EXPLAIN " + years))
                .contains("joined beside it: orders")
                .contains("after the groups: customer")
                .contains("after the groups: nation")
                .doesNotContain("broadcast")
                .doesNotContain("once more");
        same(years);
        same(Tpch.Q10);
    }

    /** Line items of the same order are co-located with it. */
    @Order(1)
    @ParameterizedTest
    @ValueSource(ints = {4, 21})
    void soAreSubQueriesChecked(int number) throws SQLException {
        String sql = TpchAllTest.text(number);
        assertThat(ask("EXPLAIN " + sql))
                .contains("checked beside it: lineitem")
                .doesNotContain("\nsub-query q")
                .doesNotContain("once more");
        same(sql);
    }

    /** With limits as at scale 5: the answers of the sub-queries would be too large to be sent. */
    @Order(1)
    @ParameterizedTest
    @ValueSource(ints = {4, 21})
    void howeverLargeTheyAre(int number) throws SQLException {
        String sql = TpchAllTest.text(number);
        System.setProperty("uniserve.sql.limits-scale", "0.002");
        try {
            assertThat(ask("EXPLAIN " + sql))
                    .contains("checked beside it: lineitem")
                    .doesNotContain("once more");
            same(sql);
        } finally {
            System.clearProperty("uniserve.sql.limits-scale");
        }
    }

    /** HAVING leaves few groups, and these reduce the orders before they are sent. */
    @Order(1)
    @Test
    void fewGroupsAreAskedFirst() throws SQLException {
        assertThat(ask("EXPLAIN " + TpchAllTest.text(18)))
                .startsWith("sub-query q")
                .doesNotContain("checked beside it");
        same(TpchAllTest.text(18));
    }

    @Order(2)
    @SeededTest(seeds = 40)
    void soAreRandomJoins(@Seed long seed) throws SQLException {
        same(new RandomJoins(new Random(seed)).next());
    }

    /** Rows of an acknowledged update are in the next answer, for both tables. */
    @Order(3)
    @Test
    void whatWasPutBeforeIsJoined() throws Exception {
        ColumnSchema columns = cluster.columns("orders");
        List<String> lines = Tpch.ORDERS.lines(SCALE);
        String sql = "SELECT sum(o_totalprice) FROM orders, lineitem WHERE o_orderkey = l_orderkey AND l_linenumber = 1"
                + " AND o_shippriority >= 0";
        for (int round = 0; round < 10; round++) {
            List<String> changed = new ArrayList<>();
            for (String line : lines.subList(round * 100, round * 100 + 100)) {
                String[] values = line.split("\\|", -1);
                values[3] = "1.00";
                changed.add(String.join("|", values));
                DuckDatabase.execute(
                        cluster.whole(), "UPDATE orders SET o_totalprice = 1 WHERE o_orderkey = " + values[0]);
            }
            cluster.put("orders", "duckdb.put@1", Tpch.documents(Tpch.ORDERS, changed, columns));
            same(sql);
        }
        assertThat(ask("EXPLAIN " + sql)).contains("joined beside it: ");
    }

    /** Last, because one server is gone afterwards. */
    @Order(4)
    @Test
    void whileAServerDiesAnswersAreRight() throws Exception {
        String expected = cluster.expected(COUNTED) + cluster.expected(CHECKED);
        List<String> answers = new CopyOnWriteArrayList<>();
        List<UniserveException> failed = new CopyOnWriteArrayList<>();
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> asker = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                try {
                    answers.add(TpchCluster.rows(ask(COUNTED)) + TpchCluster.rows(ask(CHECKED)));
                } catch (UniserveException e) {
                    failed.add(e);
                }
            }
        });
        Awaitility.await().until(() -> answers.size() >= 3);
        cluster.cluster().stopAbruptly(2);
        int before = answers.size();
        Awaitility.await().atMost(java.time.Duration.ofMinutes(1)).until(() -> answers.size() >= before + 10);
        over.set(true);
        asker.join();
        assertThat(answers).allSatisfy(answer -> assertThat(answer).isEqualTo(expected));
        assertThat(failed).isEmpty();
    }
}
