package io.uniserve.cli.trash;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TrashEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TrashCommandTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @BeforeEach
    void fill() {
        cluster.discard("server-1", entry("1000-t7-a0-1", "words", 0));
        cluster.discard("server-1", entry("2000-t8-a3-2", "", 3));
        cluster.discard("server-2", entry("1000-t7-a1-3", "words", 1));
    }

    private static TrashEntry entry(String id, String table, int actor) {
        return new TrashEntry(
                id, table, new ReplicaKey(7, actor), 4, 99, 2_048, 1_000, 86_401_000, "no table has number 7");
    }

    @Test
    void entriesAreListedByServerAndTable() {
        Run run = uniserve.run("trash", "list");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.lines().get(0)).startsWith("SERVER").contains("ENTRY", "TABLE", "KEPT UNTIL");
        assertThat(run.out())
                .contains("1000-t7-a0-1", "2000-t8-a3-2", "1000-t7-a1-3", "2 KB", "1970-01-02T00:00:01Z")
                .contains("1000-t7-a0-1: no table has number 7");
        assertThat(uniserve.run("trash", "list", "--server", "server-2").out())
                .contains("1000-t7-a1-3")
                .doesNotContain("1000-t7-a0-1");
        assertThat(uniserve.run("trash", "list", "--table", "words", "-o", "json")
                        .out())
                .contains("\"entry\":\"1000-t7-a0-1\"", "\"last_index\":99", "\"bytes_max\":1000")
                .doesNotContain("t8-a3");
        assertThat(uniserve.run("trash", "list", "--table", "other").lines()).containsExactly("the trash is empty");
        cluster.hold(new ReplicaKey(9, 0));
        assertThat(uniserve.run("trash", "list").out()).contains("server server-2: all of its 1 replicas", "t9-a0");
    }

    @Test
    void replicasAreRestoredByEntryAndByTable() {
        assertThat(uniserve.run("trash", "restore", "2000-t8-a3-2").lines())
                .containsExactly("restored 2000-t8-a3-2 on server server-1");
        Run run = uniserve.run("trash", "restore", "--table", "words", "--server", "server-2", "-o", "json");
        assertThat(run.out()).contains("\"restored\":\"1000-t7-a1-3\"", "\"server\":\"server-2\"");
        assertThat(cluster.changes())
                .containsExactly("restore trash server-1 2000-t8-a3-2", "restore trash server-2 1000-t7-a1-3");
        assertThat(uniserve.run("trash", "restore").exit()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void purgingManyNeedsYes() {
        assertThat(uniserve.run("trash", "purge").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(uniserve.run("trash", "purge", "--all").err()).contains("add --yes");
        assertThat(uniserve.run("trash", "purge", "--table", "words").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(uniserve.run("trash", "purge", "--all", "1000-t7-a0-1").exit())
                .isEqualTo(ExitCode.USAGE);
        assertThat(cluster.changes()).isEmpty();
        assertThat(uniserve.run("trash", "purge", "1000-t7-a0-1").lines())
                .containsExactly("purged 1000-t7-a0-1 on server server-1");
        assertThat(uniserve.run("trash", "purge", "--server", "server-1", "--all", "--yes")
                        .lines())
                .containsExactly("purged 2000-t8-a3-2 on server server-1");
        assertThat(cluster.changes())
                .containsExactly("purge trash server-1 1000-t7-a0-1", "purge trash server-1 2000-t8-a3-2");
    }

    @Test
    void whatIsNotThereIsRefused() {
        Run run = uniserve.run("trash", "restore", "77-t1-a0-0");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("ENTRY 77-t1-a0-0", "uniserve trash list");
        assertThat(uniserve.run("trash", "list", "--server", "s9").err()).contains("--server s9");
        assertThat(cluster.changes()).isEmpty();
    }
}
