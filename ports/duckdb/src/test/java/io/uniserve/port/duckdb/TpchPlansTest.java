package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moved rows of the plans of TPC-H, at scale 0.01 with a hundredth of the planner's limits. So plans are those of scale 1, where five
 * tables have over 100,000 rows. {@link MovedRows} has the rules. Answers of these plans, including shuffles, are compared too.
 */
class TpchPlansTest {
    private static final Logger LOG = LoggerFactory.getLogger(TpchPlansTest.class);
    private static final double SCALE = 0.01;
    private static final String LIMITS = "uniserve.sql.limits-scale";

    /** Maximum rows of a table without a condition that may be sent to one place. */
    private static final long WHOLE_ROWS_MAX = (long) (100_000 * SCALE);

    /** Start of every second query. */
    private static final List<String> HINTS =
            List.of("SELECT ", "SELECT /*+ shuffle */ ", "SELECT ", "SELECT /*+ shuffle_all */ ");

    private static final Pattern SHUFFLED = Pattern.compile("(?m)^shuffle .* actors of ");

    private static final Map<String, Long> COUNTS = new HashMap<>();

    @TempDir
    static Path directory;

    private static TpchCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        System.setProperty(LIMITS, Double.toString(SCALE));
        cluster = TpchCluster.all(directory, SCALE);
        for (Tpch.Table table : List.of(
                Tpch.LINEITEM, Tpch.ORDERS, Tpch.CUSTOMER, Tpch.PART, Tpch.SUPPLIER, Tpch.PARTSUPP, Tpch.NATION)) {
            String count = cluster.expected("SELECT count(*) FROM " + table.name());
            COUNTS.put(table.name(), Long.valueOf(count.replaceAll("\\D", "")));
        }
        assertThat(COUNTS.values().stream().filter(count -> count > WHOLE_ROWS_MAX))
                .hasSize(5);
    }

    @AfterAll
    static void stop() throws SQLException {
        System.clearProperty(LIMITS);
        cluster.close();
    }

    private static void noneIsMovedWhole(String plan) {
        MovedRows.check(plan, COUNTS, WHOLE_ROWS_MAX, true);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22})
    void noPlanMovesALargeTableWhole(int number) throws SQLException {
        String sql = TpchAllTest.text(number);
        noneIsMovedWhole(cluster.ask(TpchCluster.table(sql), "EXPLAIN " + sql));
        assertThat(TpchCluster.rows(cluster.ask(TpchCluster.table(sql), sql))).isEqualTo(cluster.expected(sql));
    }

    /** Orders is joined only with lineitem, and neither has a condition: only a shuffle is possible. */
    @Test
    void ordersOfQ9AreCut() {
        String sql = TpchAllTest.text(9);
        assertThat(cluster.ask(TpchCluster.table(sql), "EXPLAIN " + sql)).contains("shuffle orders by o_orderkey");
    }

    /** Number of queries: {@code -Duniserve.parity.plans}; half by a fixed seed and half by one as in {@link TpchAllTest}. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void randomQueriesAreCutOrAnsweredOrRefused(boolean fixed) throws SQLException {
        long seed = fixed ? 1 : Long.getLong("uniserve.parity.seed", Long.getLong("uniserve.parity.day", 20261122));
        int count = Integer.getInteger("uniserve.parity.plans", 200) / 2;
        LOG.warn("{} generated queries of large tables with -Duniserve.parity.seed={}", count, seed);
        Random random = new Random(seed);
        RandomQueries queries = new RandomQueries(random);
        RandomJoins joins = new RandomJoins(random);
        int cut = 0;
        int hinted = 0;
        int refused = 0;
        for (int i = 0; i < count; i++) {
            String drawn = i % 4 == 0 ? joins.next() : queries.next();
            String sql = drawn.replaceFirst("SELECT ", HINTS.get(i % HINTS.size()));
            String told = "query " + i + " of -Duniserve.parity.seed=" + seed + ": " + sql;
            try {
                String plan = cluster.ask(TpchCluster.table(sql), "EXPLAIN " + sql);
                MovedRows.check(plan, COUNTS, WHOLE_ROWS_MAX, false);
                boolean shuffled = SHUFFLED.matcher(plan).find();
                cut += shuffled && i % 2 == 0 ? 1 : 0;
                hinted += shuffled && i % 2 == 1 ? 1 : 0;
                assertThat(TpchCluster.rows(cluster.ask(TpchCluster.table(sql), sql)))
                        .as(told)
                        .isEqualTo(cluster.expected(sql));
            } catch (UniserveException e) {
                assertThat(e.code()).as(told + ": " + e).isEqualTo(ErrorCode.TOO_LARGE);
                refused++;
            } catch (AssertionError e) {
                throw new AssertionError(told, e);
            }
        }
        LOG.warn("cut as they were too large: {}; as the query says: {}; refused: {}", cut, hinted, refused);
        assertThat(cut).as("queries of tables that were too large to be sent").isGreaterThan(fixed ? count / 30 : 0);
        assertThat(hinted).as("queries with hints that were shuffled").isGreaterThan(count / 10);
        assertThat(refused).as("queries that were refused").isLessThan(count / 4);
    }

    /** Check of the checker: plans of planners that moved too much. */
    @Test
    void tablesThatAreMovedAreFound() {
        long orders = Objects.requireNonNull(COUNTS.get("orders"));
        for (String line : List.of(
                "broadcast orders from 3 actors of orders: %,d rows, 9 bytes, all it has; 1.0 ms",
                "send by key orders AS o from 3 actors of orders: %,d rows, 9 bytes, all it has; 1.0 ms",
                "send by key orders from 3 actors of orders: %,d rows, 9 bytes of about 9 rows; 1.0 ms",
                "partial at 3 actors of orders: %,d rows; 1.0 ms",
                "groups at 1 of 3 actors of orders: %,d rows; 1.0 ms",
                "late columns at 3 actors of orders: %,d rows; 1.0 ms")) {
            assertThatThrownBy(() -> noneIsMovedWhole(plan(line, orders)))
                    .as(line)
                    .isInstanceOf(AssertionError.class);
            String part = line.replace(", all it has", " of about 9 rows");
            if (line.startsWith("broadcast") || line.startsWith("send")) {
                assertThatThrownBy(() -> noneIsMovedWhole(plan(part, WHOLE_ROWS_MAX + 1)))
                        .as(line)
                        .isInstanceOf(AssertionError.class);
                noneIsMovedWhole(plan(part, WHOLE_ROWS_MAX));
                noneIsMovedWhole(
                        plan(part.replace("about 9 rows", "about 9 rows that its conditions leave"), orders - 1));
            } else {
                noneIsMovedWhole(plan(part, orders - 1));
            }
        }
        assertThatThrownBy(() -> noneIsMovedWhole("in place: lineitem; 1.0 ms\nanswer: 1 row\n"))
                .isInstanceOf(AssertionError.class);
    }

    private static String plan(String line, long rows) {
        return "in place: lineitem, about 9 rows; 1.0 ms\n" + line.formatted(rows) + "\nanswer: 1 row\n";
    }

    /** Partners reduce a table only if they are reduced themselves. */
    @ParameterizedTest
    @CsvSource({
        "' of about 9 rows that its conditions leave', true",
        "' of about 9 rows that its conditions leave, those with partners in b', true",
        "', all it has', false",
        "' of about 9 rows, those with partners in b', false"
    })
    void tablesWhosePartnersAreAllOfATableAreFound(String nation, boolean right) {
        String plan = plan(
                "broadcast nation AS n from 1 actor of nation: 5 rows, 9 bytes" + nation + "; 1.0 ms\n"
                        + "broadcast customer from 3 actors of customer: %,d rows, 9 bytes of about 9 rows, those with partners in n, x; 1.0 ms\n"
                        + "broadcast orders from 3 actors of orders: 1,234 rows, 9 bytes of about 9 rows, those with partners in customer; 1.0 ms",
                WHOLE_ROWS_MAX + 1);
        if (right) {
            noneIsMovedWhole(plan);
        } else {
            assertThatThrownBy(() -> noneIsMovedWhole(plan)).isInstanceOf(AssertionError.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'FROM rows GROUP BY 1', 3003, 1000, true",
        "'FROM rows GROUP BY 1', 3004, 1000, false",
        "'FROM rows GROUP BY 1', 3000, 1001, false",
        "'FROM rows WHERE (\"o_custkey\" > 5)', 3004, 1001, true",
        "'FROM (SELECT ... GROUP BY 1) AS parts GROUP BY c0 HAVING (c1 > 5)', 3004, 1001, true"
    })
    void subQueriesOfLargeTablesAreFound(String statement, long part, long answer, boolean right) {
        String plan = "sub-query q1, line 1, column 5:\n"
                + "partial at 3 actors of orders: %,d rows; 1.0 ms\n    SELECT DISTINCT 1 AS c0 %s\n"
                        .formatted(part, statement)
                + "finish: %,d rows; 1.0 ms\n    SELECT DISTINCT c0 FROM parts\n".formatted(answer)
                + "the query:\npartial at 4 actors of lineitem: 30,000 rows; 1.0 ms\n    SELECT 1 FROM rows\n"
                + "finish: 30,000 rows; 1.0 ms\nanswer: 30,000 rows\n";
        if (right) {
            noneIsMovedWhole(plan);
        } else {
            assertThatThrownBy(() -> noneIsMovedWhole(plan)).isInstanceOf(AssertionError.class);
        }
    }
}
