package io.uniserve.cli.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.message.PeerReply.Compared.Copy;
import io.uniserve.protocol.message.PeerReply.Compared.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests, output and exit codes of {@code uniserve verify}. */
class VerifyCommandTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole console = new TestingConsole(options -> cluster);

    private void table() {
        console.run("table", "create", "t", "--engine", "kv", "--actors", "2");
    }

    @Test
    void equalCopiesOfEveryActor() {
        table();
        Run run = console.run("verify", "t");
        assertThat(run.exit()).isZero();
        assertThat(run.out()).contains("equal", "table t: the replicas of 2 of 2 actors are equal");
    }

    @Test
    void aDifferenceIsNamedAndFails() {
        table();
        cluster.compared = new Compared(
                9,
                List.of(
                        new Copy(new ServerId("one"), Verdict.EQUAL, "aa", ""),
                        new Copy(new ServerId("two"), Verdict.DIFFERENT, "bb", "contents differ at index 9")));
        Run run = console.run("verify", "t");
        assertThat(run.exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(run.out()).contains("different", "actor 1 on two: contents differ at index 9", "0 of 2 actors");
        assertThat(console.run("verify", "t", "-o", "json").out())
                .contains("\"digests\":\"different\"", "\"position\":9", "\"server\":\"two\"");
    }

    @Test
    void whatIsUnknownFailsToo() {
        table();
        cluster.compared = new Compared(
                9, List.of(new Copy(new ServerId("one"), Verdict.UNKNOWN, "", "no digest: the engine failed")));
        assertThat(console.run("verify", "t").exit()).isEqualTo(ExitCode.NOT_PASSED);
    }

    @Test
    void aTableThatDoesNotExistIsRefused() {
        assertThat(console.run("verify", "nothing").exit()).isEqualTo(ExitCode.REFUSED);
    }
}
