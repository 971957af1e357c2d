package io.uniserve.cli.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.RunningCluster;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.runtime.time.SystemClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
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
                run(cluster, "", "table", "create", level, "--engine", "kv", "--actors", "3", "--level", level);
                run(cluster, level, "table", "describe", level);
                run(cluster, "4", "load", level, rows.toString());
                run(cluster, "{\"count\":4}", "query", level, "count");
                run(cluster, "{\"sum\":10}", "query", level, "sum n");
            }
        }
    }

    /** The file has rows of several chunks, and one of an expired chunk, by which its batch is refused. */
    @Test
    void isPartitionedByTime() throws Exception {
        Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            rows.append(row("k" + i, now.minus(Duration.ofDays(i / 2)), i));
        }
        Path file = Files.writeString(directory.resolve("rows.jsonl"), rows);
        Path late = Files.writeString(directory.resolve("late.jsonl"), row("late", now.minus(Duration.ofDays(30)), 1));
        try (RunningCluster cluster = new RunningCluster(directory.resolve("cluster"))) {
            for (String level : new String[] {"serializable", "fully-serializable"}) {
                List<String> create =
                        new ArrayList<>(List.of("table", "create", level, "--engine", "kv", "--level", level));
                create.addAll(List.of("--time", "ts P1D", "--retention", "P7D", "--buckets", "2"));
                run(cluster, "", create.toArray(String[]::new));
                run(cluster, level, "table", "describe", level);
                run(cluster, "{\"count\":0}", "query", level, "count");
                run(cluster, "6 rows", "load", level, file.toString());
                run(cluster, "{\"count\":6}", "query", level, "count");
                run(cluster, "{\"sum\":15}", "query", level, "sum n", "--read", "strict");
                TestingConsole.Run refused = words(cluster, "load", level, late.toString());
                assertThat(refused.exit()).isNotZero();
                assertThat(refused.out() + refused.err()).contains("CHUNK_EXPIRED");
                run(cluster, "{\"count\":6}", "query", level, "count");
            }
        }
    }

    private static String row(String id, Instant time, int n) {
        return "{\"id\":\"" + id + "\",\"ts\":\"" + time + "\",\"n\":" + n + "}\n";
    }

    /** The engine refuses a row: the other rows of the batch, of its actor and of others, are stored. */
    @Test
    void rejectedRowsArePassedOver() throws Exception {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            rows.append("{\"id\":\"k")
                    .append(i)
                    .append("\",\"amount\":")
                    .append(i % 10 == 7 ? "\"x\"" : "1")
                    .append("}\n");
        }
        Path file = Files.writeString(directory.resolve("rows.jsonl"), rows);
        try (RunningCluster cluster = new RunningCluster(directory.resolve("cluster"))) {
            run(cluster, "", "table", "create", "sums", "--engine", "kv", "--actors", "8", "--level", "serializable");
            TestingConsole.Run load =
                    words(cluster, "load", "sums", file.toString(), "--update", "kv.add@1", "--rejects-max", "5");
            assertThat(load.out())
                    .as(load.err())
                    .startsWith("27 rows loaded")
                    .contains("3 rejected, 0 not acknowledged");
            assertThat(load.exit()).isEqualTo(ExitCode.REFUSED);
            assertThat(load.err()).contains("line 8: ", "line 18: ", "line 28: ");
            run(cluster, "{\"sum\":27}", "query", "sums", "sum amount");
        }
    }

    private static TestingConsole.Run words(RunningCluster cluster, String... words) {
        List<String> all = new ArrayList<>(List.of("-b", cluster.bootstrap()));
        all.addAll(List.of(words));
        return new TestingConsole(RemoteCluster::connect).run(all.toArray(String[]::new));
    }

    private static void run(RunningCluster cluster, String expected, String... words) {
        TestingConsole.Run run = words(cluster, words);
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).contains(expected);
    }
}
