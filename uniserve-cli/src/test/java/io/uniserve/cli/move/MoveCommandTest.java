package io.uniserve.cli.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MoveCommandTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @BeforeEach
    void create() {
        uniserve.run("table", "create", "words", "--engine", "kv", "--actors", "2", "--rf", "1");
        uniserve.run("table", "create", "twice", "--engine", "kv", "--actors", "1", "--rf", "2");
    }

    private List<String> moves() {
        return cluster.changes().stream()
                .filter(call -> call.startsWith("move"))
                .toList();
    }

    @Test
    void theOneReplicaMoves() {
        Run run = uniserve.run("move", "words", "1", "--to", "server-2");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.lines()).containsExactly("moved words/1 from server-1 to server-2, epoch 4, primary server-2");
        assertThat(moves()).containsExactly("move words/1 server-1 server-2");
        Run json = uniserve.run("move", "words", "0", "--from", "server-1", "--to", "server-2", "-o", "json");
        assertThat(json.out()).contains("\"to\":\"server-2\"", "\"epoch\":4");
    }

    @Test
    void whatIsNotThereIsRefusedByName() {
        refused("ACTOR 2: table words has actors 0 to 1", "move", "words", "2", "--to", "server-2");
        refused("ACTOR -1", "move", "words", "-1", "--to", "server-2");
        refused("--to s9: there is no such server among server-1,server-2", "move", "words", "1", "--to", "s9");
        refused("--to server: several servers have this prefix", "move", "words", "1", "--to", "server");
        refused("--to ../x: there is no such", "move", "words", "1", "--to", "../x");
        refused("--from server-2: there is no", "move", "words", "1", "--from", "server-2", "--to", "server-1");
        refused("--from: twice/0 has several replicas", "move", "twice", "0", "--to", "server-2");
        refused("table nothing does not exist", "move", "nothing", "0", "--to", "server-2");
        assertThat(uniserve.run("move", "words", "x", "--to", "server-2").exit())
                .isEqualTo(ExitCode.USAGE);
        assertThat(uniserve.run("move", "words", "1").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(moves()).isEmpty();
    }

    private void refused(String named, String... words) {
        Run run = uniserve.run(words);
        assertThat(run.err()).contains(named);
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
    }
}
