package io.uniserve.cli.status;

import static io.uniserve.cli.status.ScriptedStatus.ONE;
import static io.uniserve.cli.status.ScriptedStatus.TWO;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.HealthProblem.Severity;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.protocol.message.PeerReply.Serving;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Unknown or failed states in {@code status}, {@code ready} and {@code table describe}: none of them is reported as ok. */
class ClusterHealthTest {
    private final ScriptedStatus script = new ScriptedStatus();
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    private Run run(String... words) {
        cluster.status(script.status());
        return uniserve.run(words);
    }

    /** Checks the table's row, the exit code of status, and the unmet conditions of ready; JSON must agree. */
    private void judged(int exit, String word, String text, String missing) throws IOException {
        Run status = run("status");
        assertThat(status.exit()).as(status.out()).isEqualTo(exit);
        assertThat(status.out()).contains(text);
        JsonNode json = new ObjectMapper().readTree(run("status", "-o", "json").out());
        assertThat(json.get("tables").get(0).get("state").textValue()).isEqualTo(word);
        assertThat(json.get("ok").booleanValue()).isEqualTo(word.equals("ok"));
        assertThat(run("ready", "--all").out()).contains(missing);
        assertThat(run("ready", "--all").exit())
                .isEqualTo(missing.startsWith("ready") ? ExitCode.OK : ExitCode.NOT_PASSED);
    }

    @Test
    void allIsWell() throws IOException {
        judged(ExitCode.OK, "ok", "ok", "ready: 2 servers live");
        assertThat(run("status").out()).contains(" 60 ").doesNotContain("SEVERITY", "ACTOR  EPOCH");
        assertThat(run("ready", "server-1").exit()).isEqualTo(ExitCode.OK);
    }

    @Test
    void aServerThatDoesNotAnswerMakesItsActorsUnknownAndTheirRowsToo() throws IOException {
        script.silent.add(ONE);
        judged(ExitCode.NOT_PASSED, "unknown", "unknown: 2 of 2 actors", "server-1 does not answer the coordinator");
        JsonNode json = new ObjectMapper().readTree(run("status", "-o", "json").out());
        assertThat(json.get("tables").get(0).get("rows").isNull()).isTrue();
        assertThat(json.get("servers").get(0).get("state").textValue()).isEqualTo("unknown");
        assertThat(run("ready", "server-1").exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(run("ready", "server-2").exit()).isEqualTo(ExitCode.OK);
    }

    @Test
    void anActorThatItsPrimaryDoesNotHave() throws IOException {
        script.replicas(ONE).remove(1);
        judged(
                ExitCode.NOT_PASSED,
                "unavailable",
                "unavailable: 1 of 2 actors do not serve, e.g. 1: has not started epoch 4 on server-1",
                "words/1 has not started epoch 4 on server-1");
        assertThat(run("status").out())
                .containsPattern("words +kv +2 +2 +- +0 +- +unavailable")
                .containsPattern("words +1 +4 +server-1 +primary .* has not started epoch 4 on server-1");
    }

    @Test
    void anActorOfAnOlderEpoch() throws IOException {
        script.report(ONE, 3, ReplicaLoad.PRIMARY, 30, Serving.YES, 0);
        judged(ExitCode.NOT_PASSED, "unavailable", "has not started epoch 4", "words/1 has not started epoch 4");
    }

    @Test
    void aPrimaryThatRecovers() throws IOException {
        script.report(ONE, 4, "restoring", 30, Serving.NO, 0);
        judged(ExitCode.NOT_PASSED, "unavailable", "is restoring on server-1", "words/1 is restoring on server-1");
    }

    @Test
    void aPrimaryWithoutAReadLease() throws IOException {
        script.report(ONE, Serving.NO);
        judged(ExitCode.NOT_PASSED, "unavailable", "has no read lease on server-1", "has no read lease on server-1");
    }

    @Test
    void aServerOfAnEarlierVersionDoesNotReportLeases() throws IOException {
        script.report(ONE, Serving.NOT_REPORTED);
        judged(ExitCode.OK, "ok", "ok", "ready");
    }

    @Test
    void rowsThatTheEngineHasNotReportedAreNotZero() throws IOException {
        script.report(ONE, 4, ReplicaLoad.PRIMARY, ReplicaLoad.UNKNOWN, Serving.YES, 0);
        JsonNode json = new ObjectMapper().readTree(run("status", "-o", "json").out());
        assertThat(json.get("tables").get(0).get("rows").isNull()).isTrue();
    }

    @Test
    void aFollowerThatDoesNotServeIsDegraded() throws IOException {
        script.report(TWO, Serving.NO);
        judged(
                ExitCode.OK,
                "degraded",
                "degraded: actor 1: has no read lease on server-2",
                "words/1 has no read lease on server-2");
    }

    @Test
    void allServersAreGone() throws IOException {
        script.live.clear();
        judged(ExitCode.NOT_PASSED, "unavailable", "unavailable: 2 actors without a live primary", "no server is live");
        script.tables = false;
        assertThat(run("status").exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(run("ready", "--all").exit()).isEqualTo(ExitCode.NOT_PASSED);
    }

    @Test
    void aServerOfTheMapThatIsNotLive() throws IOException {
        script.live.remove(TWO);
        judged(ExitCode.OK, "degraded", "its server server-2 is not live", "words/0: its server server-2 is not live");
    }

    @Test
    void aServerThatLostItsRegistry() throws IOException {
        script.problems(TWO).add(new HealthProblem(Severity.ERROR, "registry", "the connection was lost 9.0 s ago"));
        Run status = run("status");
        assertThat(status.exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(status.out()).contains("ERROR     server server-2, registry  the connection was lost 9.0 s ago");
        assertThat(run("ready", "server-2").out()).contains("server-2: registry: the connection was lost 9.0 s ago");
        assertThat(run("ready", "server-1").exit()).isEqualTo(ExitCode.OK);
    }

    @Test
    void aCoordinatorWhoseTermIsNotConfirmed() throws IOException {
        script.coordinator.add(new HealthProblem(Severity.ERROR, "registry", "does not confirm that it leads"));
        judged(
                ExitCode.NOT_PASSED,
                "unknown",
                "unknown: the coordinator has no contact with the registry",
                "coordinator: registry: does not confirm that it leads");
        assertThat(run("ready", "server-1").exit()).isEqualTo(ExitCode.NOT_PASSED);
    }

    @Test
    void aBackupThatFailsIsNotOkAndTheClusterServes() throws IOException {
        script.report(ONE, 4, ReplicaLoad.PRIMARY, 30, Serving.YES, 12_345);
        script.problems(ONE)
                .add(new HealthProblem(Severity.FAILING, "backup", "the backup of 1 actor fails: IO: gone"));
        judged(
                ExitCode.NOT_PASSED,
                "backup-failing",
                "backup: FAILED for 12 s, 1 of 2 actors",
                "ready: 2 servers live");
        assertThat(run("status").out()).contains("FAILING   server server-1, backup  the backup of 1 actor fails: IO");
    }

    @Test
    void warningsAreShownAndChangeNoExitCode() {
        script.problems(ONE).add(new HealthProblem(Severity.WARNING, "trash", "2 folders wait"));
        assertThat(run("status").exit()).isEqualTo(ExitCode.OK);
        assertThat(run("status").out()).contains("WARNING   server server-1, trash  2 folders wait");
        assertThat(run("ready", "--all").exit()).isEqualTo(ExitCode.OK);
    }

    @Test
    void problemsAreListedTheWorstFirst() throws IOException {
        for (Severity severity : Severity.values()) {
            script.problems(ONE).add(new HealthProblem(severity, "o", "t"));
        }
        List<String> listed = new ArrayList<>();
        new ObjectMapper()
                .readTree(run("status", "-o", "json").out())
                .get("problems")
                .forEach(one -> listed.add(one.get("severity").textValue()));
        assertThat(listed).containsExactly("error", "failing", "unknown", "warning");
    }

    @Test
    void describeJudgesEachActor() {
        uniserve.run("table", "create", "words", "--engine", "kv", "--actors", "2", "--rf", "2");
        assertThat(run("table", "describe", "words").lines())
                .filteredOn(line -> line.endsWith(" ok"))
                .hasSize(2);
        script.report(ONE, Serving.NO);
        assertThat(run("table", "describe", "words").lines())
                .filteredOn(line -> line.endsWith(" has no read lease on server-1"))
                .hasSize(1);
        script.silent.add(ONE);
        assertThat(run("table", "describe", "words", "-o", "json").out())
                .contains("\"state\":\"unknown: server server-1 does not answer the coordinator\"");
        script.tables = false;
        assertThat(run("table", "describe", "words").out())
                .contains("unknown: the coordinator does not report the actor");
    }
}
