package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** MonetDB in servers of their own processes: files are loaded, statements answered, one server is killed. */
class MonetIT {
    private static final int SALES = 2_000;

    @Test
    void whatWasAcknowledgedIsThereAfterAServerWasKilled(@TempDir Path root) throws IOException {
        try (StartedCluster cluster =
                StartedCluster.start(ProcessClusterOptions.of(root.resolve("cluster"), 2, "monetdb"))) {
            create(cluster, "sales", "columns=id bigint, shop integer, amount decimal(15,2), sold date", "id", "4");
            create(cluster, "shops", "columns=shop integer, name varchar", "shop", "1");
            long cents = 0;
            StringBuilder sales = new StringBuilder();
            for (int i = 1; i <= SALES; i++) {
                sales.append("%d|%d|%d.%02d|2026-01-%02d|\n".formatted(i, i % 10, i, i % 100, 1 + i % 28));
                cents += i % 10 == 3 ? 100L * i + i % 100 : 0;
            }
            load(cluster, "sales", Files.writeString(root.resolve("sales.tbl"), sales), SALES);
            load(cluster, "shops", Files.writeString(root.resolve("shops.csv"), "shop,name\n3,Rome\n4,Oslo\n"), 2);
            String sql = "SELECT name, sum(amount) AS total, count(*) AS n, min(sold) AS first FROM sales, shops"
                    + " WHERE sales.shop = shops.shop AND name = 'Rome' GROUP BY name";
            String row = "[\"Rome\",%d.%02d,%d,\"2026-01-02\"]".formatted(cents / 100, cents % 100, SALES / 10);
            assertThat(run(cluster, "sql", "-o", "json", sql).out()).contains(row);
            cluster.processes().daemon("server-1").kill();
            cluster.processes().startServer("server-1");
            assertThat(run(cluster, "sql", "-o", "json", sql).out()).contains(row);
            Run wrong = run(cluster, "sql", "SELECT id / (id - id) FROM sales");
            assertThat(wrong.exit()).isEqualTo(ExitCode.REFUSED);
            assertThat(wrong.err()).contains("INVALID_ARGUMENT: MonetDB");
        }
    }

    private static void create(StartedCluster cluster, String table, String columns, String key, String actors) {
        String words =
                "table create " + table + " --engine monetdb --rf 1 --actors " + actors + " --key " + key + " -O";
        List<String> all = new ArrayList<>(List.of(words.split(" ")));
        all.add(columns);
        Run run = run(cluster, all.toArray(String[]::new));
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
    }

    private static void load(StartedCluster cluster, String table, Path file, int rows) {
        assertThat(run(cluster, "load", table, file.toString()).out()).startsWith("%,d rows loaded".formatted(rows));
    }

    private static Run run(StartedCluster cluster, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("-b", String.join(",", cluster.processes().bootstrap())));
        return new TestingConsole(RemoteCluster::connect).run(all.toArray(String[]::new));
    }
}
