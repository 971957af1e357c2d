package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that change between the rounds of a query that reads their columns in two rounds: no row of an answer mixes two states. */
class LateUpdatesTest {
    private static final double SCALE = 0.01;

    /** Customers' names contain their nations; both are fetched last. */
    private static final String AFTER =
            "SELECT c_custkey, c_name, n_nationkey, sum(o_totalprice) AS r FROM orders, customer, nation"
                    + " WHERE o_custkey = c_custkey AND c_nationkey = n_nationkey GROUP BY c_custkey, c_name, n_nationkey"
                    + " ORDER BY r DESC LIMIT 10";

    /** The nation comes with the join, the name is fetched last. */
    private static final String QUERY = AFTER.replace(" GROUP", " AND c_acctbal > -100000 GROUP");

    private static final Pattern ROW = Pattern.compile("\\[\\d+,\"nation (\\d+)\",(\\d+),[\\d.]+\\]");

    @TempDir
    static Path directory;

    private static List<Document> customers(int version, ColumnSchema columns) {
        List<String> lines = new ArrayList<>();
        for (String line : Tpch.CUSTOMER.lines(SCALE)) {
            String[] values = line.split("\\|", -1);
            int nation = (Integer.parseInt(values[0]) + version) % 25;
            values[1] = "nation " + nation;
            values[3] = String.valueOf(nation);
            lines.add(String.join("|", values));
        }
        return Tpch.documents(Tpch.CUSTOMER, lines, columns);
    }

    @Test
    void noRowIsOfTwoMoments() throws Exception {
        try (TpchCluster cluster = new TpchCluster(directory)) {
            cluster.load(Tpch.CUSTOMER, 3, 1, SCALE);
            cluster.load(Tpch.ORDERS, 3, 1, SCALE);
            cluster.load(Tpch.NATION, 1, 1, SCALE);
            ColumnSchema columns = cluster.columns("customer");
            cluster.put("customer", "duckdb.put@1", customers(0, columns));
            assertThat(cluster.ask("orders", "EXPLAIN " + QUERY))
                    .contains("late columns at")
                    .doesNotContain("after the groups");
            assertThat(cluster.ask("orders", "EXPLAIN " + AFTER)).contains("after the groups: customer");
            AtomicBoolean over = new AtomicBoolean();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                for (int version = 1; !over.get(); version++) {
                    cluster.put("customer", "duckdb.put@1", customers(version, columns));
                }
            });
            try {
                for (int round = 0; round < 10; round++) {
                    assertOneMoment(cluster.ask("orders", QUERY));
                    assertOneMoment(cluster.ask("orders", AFTER));
                }
                // This is not by chance: rows do change in between, and then the whole query is repeated.
                Awaitility.await().atMost(java.time.Duration.ofMinutes(1)).until(() -> {
                    assertOneMoment(cluster.ask("orders", QUERY));
                    return cluster.ask("orders", "EXPLAIN " + QUERY).contains("rows changed between the steps");
                });
            } finally {
                over.set(true);
                writer.join();
            }
        }
    }

    private static void assertOneMoment(String answer) {
        Matcher rows = ROW.matcher(answer);
        int count = 0;
        while (rows.find()) {
            count++;
            assertThat(rows.group(1)).as(answer).isEqualTo(rows.group(2));
        }
        assertThat(count).as(answer).isEqualTo(10);
    }
}
