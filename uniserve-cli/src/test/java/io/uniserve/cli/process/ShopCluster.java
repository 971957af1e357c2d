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

/** Two servers in processes of their own, with a table of sales and one of 20 shops, created and filled by commands. */
final class ShopCluster implements AutoCloseable {
    static final int SHOPS = 20;

    private final StartedCluster cluster;
    private final TestingConsole uniserve = new TestingConsole(RemoteCluster::connect);
    private final String port;
    /** End of the last sale's row. */
    private final String last;

    /**
     * @param port a SQL port
     * @param actors actors of the sales table
     * @param sales number of sales, a multiple of 100
     */
    ShopCluster(Path root, String port, int actors, int sales) throws IOException {
        this.cluster = StartedCluster.start(ProcessClusterOptions.of(root.resolve("cluster"), 2, port));
        this.port = port;
        this.last = "[%d,0,%d.00,\"2026-01-%02d\"]".formatted(sales, sales, 1 + sales % 28);
        create("sales", "id bigint, shop integer, amount decimal(15,2), sold date", actors);
        create("shops", "shop integer, name varchar, city varchar", 2, "--key", "shop");
        StringBuilder bars = new StringBuilder();
        for (int i = 1; i <= sales; i++) {
            bars.append("%d|%d|%d.%02d|2026-01-%02d|\n".formatted(i, i % SHOPS, i, i % 100, 1 + i % 28));
        }
        StringBuilder shops = new StringBuilder("name,shop,city\n");
        for (int i = 0; i < SHOPS; i++) {
            shops.append("\"Shop, %d\",%d,%s\n".formatted(i, i, i % 4 == 0 ? "Rome" : "Oslo"));
        }
        load("sales", Files.writeString(root.resolve("sales.tbl"), bars), "%,d rows loaded".formatted(sales));
        load("shops", Files.writeString(root.resolve("shops.csv"), shops), "20 rows loaded");
    }

    private void load(String table, Path file, String told) {
        assertThat(run("load", table, file.toString()).out()).startsWith(told);
    }

    void create(String table, String columns, int actors, String... more) {
        List<String> words = new ArrayList<>(List.of("table", "create", table, "--engine", port, "--rf", "1"));
        words.addAll(List.of("--actors", Integer.toString(actors), "-O", "columns=" + columns));
        words.addAll(List.of(more));
        assertThat(run(words.toArray(String[]::new)).exit()).isEqualTo(ExitCode.OK);
    }

    Run run(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("-b", String.join(",", cluster.processes().bootstrap())));
        return uniserve.run(all.toArray(String[]::new));
    }

    /** State that a client can see of the tables: definitions, maps and rows. */
    String state() {
        StringBuilder state = new StringBuilder();
        for (String table : List.of("sales", "shops")) {
            state.append(run("table", "show", table, "-o", "json").out());
            state.append(run("sql", "-o", "json", "SELECT * FROM " + table + " ORDER BY 1")
                    .out());
        }
        assertThat(state).contains(last, "Shop, 19");
        return state.toString();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
