package io.uniserve.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.ExitCode;
import io.uniserve.cli.TestingCluster;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import org.junit.jupiter.api.Test;

class QueryCommandTest {
    private final TestingCluster cluster = new TestingCluster();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @Test
    void theEnginesAnswerIsPrintedAsItIs() {
        uniserve.run("table", "create", "words", "--port", "kv");
        Run run = uniserve.run("query", "words", "count", "--deadline", "500ms");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.out()).isEqualTo("{\"count\":0}" + System.lineSeparator());
        assertThat(run.err()).isEmpty();
    }

    @Test
    void whatItTookGoesToTheErrorStream() {
        uniserve.run("table", "create", "words", "--port", "kv");
        Run run = uniserve.run("query", "words", "count", "--stats");
        assertThat(run.out()).isEqualTo("{\"count\":0}" + System.lineSeparator());
        assertThat(run.err()).contains("ms, 11 bytes of application/json, 2 requests, 1 retries, 0 hedges");
    }

    @Test
    void theStagesOfAPlanOfATypedTable() {
        uniserve.run("table", "create", "orders", "--port", "kv", "-O", "columns=id bigint");
        cluster.answer("EXPLAIN SELECT 1 FROM orders", "text/plain", "in place: orders\n    SELECT 1\n");
        Run run = uniserve.run("query", "orders", "SELECT 1 FROM orders", "--explain");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.lines()).containsExactly("in place: orders", "    SELECT 1");
        uniserve.run("table", "create", "words", "--port", "kv");
        Run none = uniserve.run("query", "words", "count", "--explain");
        assertThat(none.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(none.err()).contains("UNSUPPORTED: --explain for table words", "--stats");
    }

    @Test
    void aQueryTheEngineRefuses() {
        uniserve.run("table", "create", "words", "--port", "kv");
        Run run = uniserve.run("query", "words", "drop everything");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("unknown query");
    }
}
