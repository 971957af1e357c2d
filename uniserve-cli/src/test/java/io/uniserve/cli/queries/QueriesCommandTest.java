package io.uniserve.cli.queries;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.ServerQueries;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RunningQuery;
import io.uniserve.model.RunningQuery.State;
import io.uniserve.model.ServerId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QueriesCommandTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @Test
    void whatRunsIsListedByServer() {
        assertThat(uniserve.run("queries", "list").lines()).containsExactly("no running queries");
        cluster.runs(new ServerQueries(
                new ServerId("server-1"),
                List.of(new RunningQuery(-2, "words", "8485-9", "kv.sum@1", 12_340_000_000L, State.STUCK)),
                1,
                Optional.empty()));
        Run run = uniserve.run("queries", "list");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.lines().get(0)).startsWith("ID").contains("TABLE", "CLIENT", "RUNNING", "STATE");
        assertThat(run.out())
                .contains("fffffffffffffffe", "server-1", "words", "8485-9", "kv.sum@1", "12.3 s", "stuck")
                .contains("1 threads are stuck");
        assertThat(uniserve.run("queries", "list", "-o", "json").out())
                .contains("\"id\":\"fffffffffffffffe\"", "\"running_ms\":12340", "\"state\":\"STUCK\"");
        cluster.runs(new ServerQueries(
                new ServerId("server-2"),
                List.of(),
                0,
                Optional.of(new UniserveException(ErrorCode.UNAVAILABLE, "no connection"))));
        Run partly = uniserve.run("queries", "list");
        assertThat(partly.exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(partly.out()).contains("server server-2 did not answer: no connection");
    }

    @Test
    void oneIsCancelledByItsId() {
        cluster.runs(new ServerQueries(
                new ServerId("server-1"),
                List.of(new RunningQuery(26, "words", "", "plan", 1, State.RUNNING)),
                0,
                Optional.empty()));
        assertThat(uniserve.run("queries", "cancel", "1a").lines())
                .containsExactly("cancelled 1a: plan on table words");
        assertThat(uniserve.run("queries", "cancel", "1b").err()).contains("query 1b");
        assertThat(uniserve.run("queries", "cancel", "xyz").err()).contains("\"xyz\"", "hexadecimal");
        assertThat(uniserve.run("queries", "cancel").exit()).isEqualTo(ExitCode.USAGE);
    }
}
