package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the plans of TPC-H move, at scale 0.01 with a hundredth of the planner's limits: so plans are those of scale 1, where five
 * tables have over 100,000 rows. Answers of these plans, shuffles among them, are compared too.
 */
class TpchPlansTest {
    private static final double SCALE = 0.01;
    private static final String LIMITS = "uniserve.sql.limits-scale";

    /** Of a table without a condition no more rows may go to one place. */
    private static final long WHOLE_ROWS_MAX = (long) (100_000 * SCALE);

    /** A line of a plan whose rows leave their actors for one place, or for all: {@code ... actors of TABLE: ROWS rows}. */
    private static final Pattern MOVED = Pattern.compile(
            "(?:broadcast|send by key|partial at|groups at|late columns at) .*?actors? of (\\w+): ([0-9,]+) rows?");

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

    /** Fails where a plan moves all rows of a large table, or says that it does. */
    private static void noneIsMovedWhole(String plan) {
        assertThat(plan).contains("answer: ");
        int moves = 0;
        for (String line : plan.lines().toList()) {
            Matcher moved = MOVED.matcher(line);
            if (!moved.lookingAt()) {
                continue;
            }
            moves++;
            long all = COUNTS.getOrDefault(moved.group(1), 0L);
            if (all > WHOLE_ROWS_MAX) {
                long rows = Long.parseLong(moved.group(2).replace(",", ""));
                assertThat(rows).as(line + "\nin\n" + plan).isLessThan(all);
                assertThat(line).as(plan).doesNotContain(", all it has");
            }
        }
        assertThat(moves
                        + Pattern.compile("(?m)^joined in ")
                                .matcher(plan)
                                .results()
                                .count())
                .as("lines that are known, of\n" + plan)
                .isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22})
    void noPlanMovesALargeTableWhole(int number) throws SQLException {
        String sql = TpchAllTest.text(number);
        noneIsMovedWhole(cluster.ask(TpchCluster.table(sql), "EXPLAIN " + sql));
        assertThat(TpchCluster.rows(cluster.ask(TpchCluster.table(sql), sql))).isEqualTo(cluster.expected(sql));
    }

    /** Orders meet lineitem alone in it, and no condition is on either: only a shuffle does. */
    @Test
    void ordersOfQ9AreCut() {
        String sql = TpchAllTest.text(9);
        assertThat(cluster.ask(TpchCluster.table(sql), "EXPLAIN " + sql)).contains("shuffle orders by o_orderkey");
    }

    /** The check itself: plans as they were written by planners that move too much. */
    @Test
    void tablesThatAreMovedWholeAreFound() {
        long orders = Objects.requireNonNull(COUNTS.get("orders"));
        for (String line : List.of(
                "broadcast orders from 3 actors of orders: %,d rows, 9 bytes, all it has; 1.0 ms",
                "send by key orders AS o from 3 actors of orders: %,d rows, 9 bytes, all it has; 1.0 ms",
                "send by key orders from 3 actors of orders: %,d rows, 9 bytes of about 9 rows; 1.0 ms",
                "partial at 3 actors of orders: %,d rows; 1.0 ms",
                "groups at 1 of 3 actors of orders: %,d rows; 1.0 ms",
                "late columns at 3 actors of orders: %,d rows; 1.0 ms")) {
            String plan = "in place: lineitem, about 9 rows; 1.0 ms\n" + line.formatted(orders) + "\nanswer: 1 row\n";
            assertThatThrownBy(() -> noneIsMovedWhole(plan)).as(line).isInstanceOf(AssertionError.class);
            noneIsMovedWhole(plan.replace("%,d rows".formatted(orders), "%,d rows".formatted(orders - 1))
                    .replace(", all it has", " of about 9 rows"));
        }
        assertThatThrownBy(() -> noneIsMovedWhole("in place: lineitem; 1.0 ms\nanswer: 1 row\n"))
                .isInstanceOf(AssertionError.class);
    }
}
