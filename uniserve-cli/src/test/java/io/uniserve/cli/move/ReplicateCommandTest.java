package io.uniserve.cli.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReplicateCommandTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @BeforeEach
    void create() {
        uniserve.run("table", "create", "words", "--engine", "kv", "--actors", "4", "--rf", "1");
        uniserve.run("table", "create", "times", "--engine", "kv", "--range-bounds", "10,20", "--rf", "1");
    }

    private List<String> wishes() {
        return cluster.changes().stream()
                .filter(call -> call.startsWith("replicate"))
                .toList();
    }

    @Test
    void actorsAreNamedByNumbersOrKeys() {
        Run run = uniserve.run("replicate", "words", "1", "3", "--copies", "2");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.lines())
                .containsExactly("words/1 is in sync on server-1,server-2", "words/3 is in sync on server-1,server-2");
        Run range = uniserve.run("replicate", "times", "--number-key", "15", "--copies", "2", "-o", "json");
        assertThat(range.out()).contains("\"actor\":1", "\"copies\":2", "\"isr\":[\"server-1\",\"server-2\"]");
        assertThat(uniserve.run("replicate", "words", "--key", "a", "1", "--copies", "0")
                        .exit())
                .isEqualTo(ExitCode.OK);
        assertThat(wishes())
                .contains("replicate words/1 2", "replicate words/3 2", "replicate times/1 2", "replicate words/1 0")
                .hasSize(5);
    }

    @Test
    void describeTellsTheCopiesOfEach() {
        uniserve.run("replicate", "words", "1", "--copies", "2");
        assertThat(uniserve.run("table", "describe", "words", "-o", "json").out())
                .contains("{\"actor\":0,\"epoch\":1,\"copies\":1,", "{\"actor\":1,\"epoch\":2,\"copies\":2,");
    }

    @Test
    void whatIsNotThereIsRefusedByNameAndNothingIsAsked() {
        refused("ACTOR 4: table words has actors 0 to 3", "replicate", "words", "1", "4", "--copies", "2");
        refused("ACTOR -1", "replicate", "words", "--copies", "2", "--", "-1");
        refused("ACTOR: name the actors of table words", "replicate", "words", "--copies", "2");
        refused("table nothing does not exist", "replicate", "nothing", "0", "--copies", "2");
        refused("must be a whole number", "replicate", "times", "--key", "a", "--copies", "2");
        refused("partition key is empty", "replicate", "words", "--key", "", "--copies", "2");
        assertThat(uniserve.run("replicate", "words", "1").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(uniserve.run("replicate", "words", "1", "--copies", "two").exit())
                .isEqualTo(ExitCode.USAGE);
        assertThat(wishes()).isEmpty();
    }

    private void refused(String named, String... words) {
        Run run = uniserve.run(words);
        assertThat(run.err()).contains(named);
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
    }
}
