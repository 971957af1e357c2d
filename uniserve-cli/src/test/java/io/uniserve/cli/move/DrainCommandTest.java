package io.uniserve.cli.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DrainCommandTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @BeforeEach
    void create() {
        uniserve.run("table", "create", "words", "--engine", "kv", "--actors", "2", "--rf", "1");
    }

    @Test
    void aServerIsEmptiedAndTakenBack() {
        Run run = uniserve.run("drain", "server-1");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.lines()).containsExactly("server server-1 is empty and gets no replicas");
        assertThat(cluster.changes()).contains("drain server-1", "move words/1 server-1 server-2");
        assertThat(uniserve.run("status").lines()).contains("drained: server-1");
        assertThat(uniserve.run("status", "-o", "json").out()).contains("\"drained\":[\"server-1\"]");
        Run undone = uniserve.run("drain", "server-1", "--undo", "-o", "json");
        assertThat(undone.out()).contains("\"drained\":false");
        assertThat(uniserve.run("status").out()).doesNotContain("drained");
    }

    @Test
    void whatIsNotThereIsRefused() {
        refused("SERVER s9: there is no such server among server-1,server-2", "drain", "s9");
        refused("SERVER server: several servers have this prefix", "drain", "server");
        refused("SERVER server-1: there is no such server", "drain", "server-1", "--undo");
        assertThat(uniserve.run("drain").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(uniserve.run("drain", "server-1", "--timeout", "3").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(cluster.changes()).noneMatch(call -> call.startsWith("drain"));
    }

    private void refused(String named, String... words) {
        Run run = uniserve.run(words);
        assertThat(run.err()).contains(named);
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
    }
}
