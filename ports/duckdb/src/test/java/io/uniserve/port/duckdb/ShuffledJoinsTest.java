package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.testkit.seed.Seed;
import io.uniserve.testkit.seed.SeededTest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
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

/** Joins of two shuffled tables on a cluster of three servers; answers equal those of one DuckDB. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ShuffledJoinsTest {
    /** Scale at which lineitem has more rows than may be broadcast without a condition. */
    private static final double SCALE = 0.02;

    private static final String SELF = "SELECT a.l_returnflag, b.l_linestatus, count(*) AS n, sum(b.l_quantity) AS q,"
            + " avg(a.l_extendedprice) AS p, min(b.l_comment) AS m FROM lineitem a, lineitem b"
            + " WHERE a.l_partkey = b.l_partkey AND a.l_suppkey = b.l_suppkey GROUP BY a.l_returnflag, b.l_linestatus"
            + " ORDER BY 1, 2";

    @TempDir
    static Path directory;

    private static TpchCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TpchCluster(directory, 3);
        cluster.load(Tpch.LINEITEM, 4, 2, SCALE);
        cluster.load(Tpch.ORDERS, 3, 2, SCALE);
        cluster.load(Tpch.CUSTOMER, 3, 2, SCALE, ConsistencyLevel.FULLY_SERIALIZABLE);
        cluster.load(Tpch.PART, 2, 2, SCALE);
        cluster.load(Tpch.SUPPLIER, 2, 2, SCALE);
        cluster.load(Tpch.NATION, 2, 2, SCALE);
        cluster.load(Tpch.REGION, 1, 2, SCALE);
    }

    @AfterAll
    static void stop() throws SQLException {
        cluster.close();
    }

    private static String hinted(String sql) {
        return sql.replaceFirst("SELECT ", "SELECT /*+ shuffle */ ");
    }

    private static String ask(String sql) {
        return cluster.ask(TpchCluster.table(sql), sql);
    }

    private static String chained(String sql) {
        return sql.replaceFirst("SELECT ", "SELECT /*+ shuffle_all */ ");
    }

    /** Checks that a query leaves no data behind, after cancelled runs have ended: in no server's memory, and in no file. */
    private static void assertNothingStays() {
        Awaitility.await().untilAsserted(() -> {
            for (int server = 1; server <= 3; server++) {
                assertThat(cluster.cluster().server(server).scrape())
                        .contains("uniserve_server_exchange_runs 0.0")
                        .contains("uniserve_server_exchange_bytes 0.0")
                        .contains("uniserve_server_exchange_files 0.0");
            }
            assertThat(filesOfQueries()).isEmpty();
        });
    }

    private static List<String> filesOfQueries() {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(Path::toString)
                    .filter(path -> path.matches(".*/shuffle\\d+.*|.*/exchange/.+"))
                    .toList();
        } catch (java.io.IOException | java.io.UncheckedIOException e) {
            throw new AssertionError("files come and go", e); // checked again
        }
    }

    @Order(1)
    @ParameterizedTest
    @ValueSource(
            strings = {
                Tpch.Q3,
                Tpch.Q5,
                Tpch.Q10,
                Tpch.Q12,
                Tpch.Q14,
                "SELECT count(*), sum(o_totalprice), max(c_name) FROM orders JOIN customer ON o_custkey = c_custkey"
                        + " AND c_acctbal > o_totalprice / 100",
                "SELECT l_orderkey, l_linenumber, o_orderdate FROM orders, lineitem WHERE o_orderkey = l_orderkey"
                        + " AND l_quantity = 50 ORDER BY 1, 2 LIMIT 100",
                "SELECT count(*), sum(o_totalprice) FROM customer JOIN orders ON c_custkey = o_custkey"
                        + " WHERE o_orderdate < date '1992-02-01'",
                "SELECT count(*), max(c_name) FROM orders, customer WHERE o_custkey = c_custkey AND c_custkey < 0",
                "SELECT o_orderpriority, count(*) AS n, count(n_name) FROM orders JOIN customer ON o_custkey = c_custkey"
                        + " LEFT JOIN nation ON c_nationkey = n_nationkey AND n_regionkey = 1 GROUP BY o_orderpriority ORDER BY 1",
                "SELECT count(*), count(c_custkey), sum(o_totalprice), min(c_name) FROM orders LEFT JOIN customer"
                        + " ON o_custkey = c_custkey AND c_acctbal > 5000",
                "SELECT c_mktsegment, count(*), count(o_orderkey), sum(o_totalprice) FROM orders RIGHT JOIN customer"
                        + " ON c_custkey = o_custkey GROUP BY c_mktsegment ORDER BY 1",
                "SELECT n_name, count(*), count(o_orderkey) FROM nation JOIN orders ON n_nationkey = o_custkey % 25"
                        + " LEFT JOIN customer ON o_custkey = c_custkey AND c_nationkey = n_nationkey GROUP BY n_name ORDER BY 1"
            })
    void answersAreThoseOfOneEngineWithAllRows(String sql) throws SQLException {
        assertThat(cluster.ask(sql.replaceFirst("(?s).*? FROM (\\w+).*", "$1"), "EXPLAIN " + hinted(sql)))
                .contains("shuffle ");
        assertThat(TpchCluster.rows(ask(hinted(sql)))).isEqualTo(cluster.expected(sql));
    }

    @Order(2)
    @SeededTest(seeds = 20)
    void soAreThoseOfRandomJoins(@Seed long seed) throws SQLException {
        String sql = new RandomJoins(new Random(seed)).next();
        assertThat(TpchCluster.rows(ask(hinted(sql)))).as(sql).isEqualTo(cluster.expected(sql));
    }

    @Order(2)
    @ParameterizedTest
    @ValueSource(
            strings = {
                Tpch.Q3,
                Tpch.Q5,
                Tpch.Q10,
                "SELECT c_mktsegment, count(*), sum(l_quantity), max(o_orderdate), min(p_name) FROM part, lineitem, orders, customer"
                        + " WHERE l_orderkey = o_orderkey AND o_custkey = c_custkey AND l_partkey = p_partkey AND p_size + l_linenumber < c_nationkey"
                        + " GROUP BY c_mktsegment ORDER BY 1",
                "SELECT count(*), count(c_custkey), sum(l_quantity), min(c_name) FROM lineitem JOIN orders ON l_orderkey = o_orderkey"
                        + " LEFT JOIN customer ON o_custkey = c_custkey AND c_acctbal > 5000 AND l_tax > 0",
                "SELECT count(*), sum(a.l_quantity), sum(b.l_tax), max(o_totalprice) FROM lineitem a, lineitem b, orders"
                        + " WHERE a.l_orderkey = b.l_orderkey AND b.l_partkey = a.l_partkey AND o_orderkey = a.l_orderkey"
                        + " AND a.l_linenumber < b.l_linenumber",
                "SELECT l_orderkey, l_linenumber, o_orderdate, c_name FROM customer, orders, lineitem WHERE o_orderkey = l_orderkey"
                        + " AND c_custkey = o_custkey AND l_quantity = 50 ORDER BY 1, 2 LIMIT 100",
                "SELECT count(*), max(c_name) FROM orders, customer, lineitem WHERE o_custkey = c_custkey AND l_orderkey = o_orderkey"
                        + " AND c_custkey < 0"
            })
    void soAreThoseOfChains(String sql) throws SQLException {
        assertThat(ask("EXPLAIN " + chained(sql))).contains(", and shuffled by ");
        assertThat(TpchCluster.rows(ask(chained(sql)))).isEqualTo(cluster.expected(sql));
    }

    @Order(2)
    @SeededTest(seeds = 20)
    void soAreThoseOfRandomChains(@Seed long seed) throws SQLException {
        String sql = new RandomJoins(new Random(seed)).next();
        assertThat(TpchCluster.rows(ask(chained(sql)))).as(sql).isEqualTo(cluster.expected(sql));
    }

    /** Three tables; no broadcast may send any of them. */
    @Test
    @Order(3)
    void threeTablesThatAreTooLargeToBeSentAreAChain() throws SQLException {
        String sql =
                "SELECT a.l_returnflag, count(*) AS n, sum(b.l_quantity) AS q, min(c.l_comment) AS m FROM lineitem a,"
                        + " lineitem b, lineitem c WHERE a.l_orderkey = b.l_orderkey AND b.l_partkey = c.l_partkey"
                        + " AND a.l_suppkey = c.l_suppkey GROUP BY a.l_returnflag ORDER BY 1";
        assertThat(TpchCluster.rows(ask(sql))).isEqualTo(cluster.expected(sql));
        assertThat(ask("EXPLAIN " + sql)).contains(", and shuffled by ");
        assertNothingStays();
    }

    @Test
    @Order(3)
    void tablesThatAreTooLargeToBeSentAreCut() throws SQLException {
        assertThat(TpchCluster.rows(ask(SELF))).isEqualTo(cluster.expected(SELF));
        String plan = ask("EXPLAIN " + SELF);
        assertThat(plan.replaceAll("; [0-9.]+ ms", "")
                        .replaceAll("[\\d,]+ (bytes|from other servers)", "N $1")
                        .replaceAll("[0-9.]+ ms", "T ms"))
                .as(plan)
                .contains("""
                        shuffle lineitem AS b by l_partkey from 4 actors of lineitem: 120,515 rows, N bytes, N from other servers, 0 in files, """)
                .contains("joined in 4 slots, at the actors of lineitem: ")
                .contains(" of 241,030 rows, N bytes, N from other servers, 0 in files, ");
        assertNothingStays();
    }

    @Test
    @Order(4)
    void whatHasNoEqualityOfColumnsIsStillRefused() {
        assertThatThrownBy(() ->
                        ask("SELECT count(*) FROM lineitem a, lineitem b WHERE a.l_orderkey + 0 = b.l_orderkey + 0"))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
        assertNothingStays();
    }

    /** Last, because one server is gone afterwards. */
    @Test
    @Order(5)
    void whileAServerDiesAnswersAreRightOrThereIsNone() throws Exception {
        String sql = chained(Tpch.Q3);
        String expected = cluster.expected(Tpch.Q3);
        List<String> answers = new CopyOnWriteArrayList<>();
        AtomicInteger failed = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        List<CompletableFuture<Void>> askers = Stream.of(1, 2)
                .map(asker -> CompletableFuture.runAsync(() -> {
                    while (!over.get()) {
                        try {
                            answers.add(TpchCluster.rows(ask(sql)));
                        } catch (UniserveException e) {
                            failed.incrementAndGet();
                        }
                    }
                }))
                .toList();
        Awaitility.await().until(() -> answers.size() >= 2);
        cluster.cluster().stopAbruptly(2);
        int before = answers.size();
        Awaitility.await().atMost(java.time.Duration.ofMinutes(1)).until(() -> answers.size() >= before + 6);
        over.set(true);
        askers.forEach(CompletableFuture::join);
        assertThat(answers).allSatisfy(answer -> assertThat(answer).isEqualTo(expected));
    }
}
