package io.uniserve.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import org.junit.jupiter.api.Test;

class QueryCommandTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @Test
    void theEnginesAnswerIsPrintedAsItIs() {
        uniserve.run("table", "create", "words", "--engine", "kv");
        Run run = uniserve.run("query", "words", "count", "--deadline", "500ms");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.out()).isEqualTo("{\"count\":0}" + System.lineSeparator());
        assertThat(run.err()).isEmpty();
    }

    @Test
    void whatItTookGoesToTheErrorStream() {
        uniserve.run("table", "create", "words", "--engine", "kv");
        Run run = uniserve.run("query", "words", "count", "--stats");
        assertThat(run.out()).isEqualTo("{\"count\":0}" + System.lineSeparator());
        assertThat(run.err()).contains("ms, 11 bytes of application/json, 2 requests, 1 retries, 0 hedges");
    }

    @Test
    void theStepsOfAPlanInPlaceOfTheAnswer() {
        uniserve.run("table", "create", "words", "--engine", "kv");
        Run run = uniserve.run("query", "words", "count", "--explain");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.lines()).containsExactly("retrieve of words", "answer: 11 bytes");
        Run json = uniserve.run("query", "words", "count", "--explain", "-o", "json");
        assertThat(json.out().strip()).isEqualTo("{\"plan\":[\"retrieve of words\",\"answer: 11 bytes\"]}");
        Run wrong = uniserve.run("query", "words", "drop everything", "--explain");
        assertThat(wrong.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(wrong.err()).contains("unknown query");
        assertThat(wrong.out()).isEmpty();
    }

    @Test
    void aQueryTheEngineRefuses() {
        uniserve.run("table", "create", "words", "--engine", "kv");
        Run run = uniserve.run("query", "words", "drop everything");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("unknown query");
    }
}
