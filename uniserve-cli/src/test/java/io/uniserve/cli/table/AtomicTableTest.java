package io.uniserve.cli.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.RunningCluster;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.cluster.RemoteCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables with atomic updates through the command line, on real daemons. */
class AtomicTableTest {
    @TempDir
    private Path directory;

    @Test
    void isCreatedLoadedAndQueriedByItsLevel() throws Exception {
        Path rows = Files.writeString(
                directory.resolve("rows.jsonl"),
                "{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":2}\n{\"id\":\"c\",\"n\":3}\n{\"id\":\"d\",\"n\":4}\n");
        try (RunningCluster cluster = new RunningCluster(directory.resolve("cluster"))) {
            for (String level : new String[] {"serializable", "fully-serializable"}) {
                run(cluster, "", "table", "create", level, "--port", "kv", "--actors", "3", "--level", level);
                run(cluster, level, "table", "describe", level);
                run(cluster, "4", "load", level, rows.toString());
                run(cluster, "{\"count\":4}", "query", level, "count");
                run(cluster, "{\"sum\":10}", "query", level, "sum n");
            }
        }
    }

    private static void run(RunningCluster cluster, String expected, String... words) {
        List<String> all = new ArrayList<>(List.of("-b", cluster.bootstrap()));
        all.addAll(List.of(words));
        TestingConsole.Run run = new TestingConsole(RemoteCluster::connect).run(all.toArray(String[]::new));
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).contains(expected);
    }
}
