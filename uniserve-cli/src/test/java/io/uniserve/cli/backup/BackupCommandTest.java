package io.uniserve.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import org.junit.jupiter.api.Test;

/** Requests and output of {@code uniserve backup} and {@code uniserve restore}. */
class BackupCommandTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole console = new TestingConsole(options -> cluster);

    private void table() {
        console.run("table", "create", "t", "--engine", "kv", "--actors", "2");
    }

    @Test
    void namesAreNumbersWhereNoneIsGiven() {
        table();
        assertThat(console.run("backup", "t").out()).contains("backup t-1 of table t is complete");
        assertThat(console.run("backup", "t").out()).contains("backup t-2 of table t is complete");
        assertThat(console.run("backup", "t", "--name", "mine").exit()).isZero();
        assertThat(cluster.changes()).contains("backup t t-1", "backup t t-2", "backup t mine");
        assertThat(console.run("backup", "--list").out()).contains("mine", "t-1", "complete", "4883 KB");
        assertThat(console.run("backup", "--list", "-o", "json").out()).contains("\"name\":\"mine\"");
    }

    @Test
    void restoredUnderAnotherName() {
        table();
        console.run("backup", "t");
        assertThat(console.run("restore", "t-1", "--as", "copy").out())
                .contains("restored table copy from backup t-1, 2 actors");
    }

    @Test
    void allLostTables() {
        table();
        console.run("backup", "t");
        cluster.lose(0, cluster.tables().get(0).meta());
        console.run("table", "drop", "t");
        assertThat(console.run("restore", "--all").exit()).isZero();
        assertThat(cluster.changes()).endsWith("restore lost-t-0 t", "create t");
    }

    @Test
    void damageIsAnError() {
        Run run = console.run("backup", "--verify", "x");
        assertThat(run.exit()).isEqualTo(ExitCode.FAULT);
        assertThat(run.err()).contains("CORRUPT", "object x is damaged");
    }

    @Test
    void oneThingAtATime() {
        for (String[] words : new String[][] {
            {"backup"},
            {"backup", "t", "--list"},
            {"backup", "--list", "--name", "x"},
            {"backup", "--verify", "a", "--delete", "b"},
            {"restore"},
            {"restore", "a"},
            {"restore", "--all", "--as", "t"},
            {"restore", "a", "--all", "--as", "t"}
        }) {
            assertThat(console.run(words).exit()).as(String.join(" ", words)).isEqualTo(ExitCode.USAGE);
        }
        assertThat(cluster.changes()).isEmpty();
    }
}
