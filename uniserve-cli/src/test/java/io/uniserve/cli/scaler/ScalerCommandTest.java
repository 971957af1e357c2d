package io.uniserve.cli.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ScalingEvent;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.model.registry.ScalingRecord;
import io.uniserve.placement.ScalingView.Server;
import io.uniserve.protocol.message.AdminReply.Scaling;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class ScalerCommandTest {
    private static final String TOKEN = "00112233445566778899aabbccddeeff";

    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    private static Scaling scaling(String hold) {
        ScalingRecord record = new ScalingRecord(
                hold,
                List.of(new ScalingInstance(
                        TOKEN, "i-7", ScalingInstance.State.JOINED, 3, 0, "CPU 80 % is above 70 %")),
                List.of(new ScalingEvent(
                        0, TOKEN, ScalingEvent.Action.ADD, "CPU 80 % is above 70 %", "joined, 2 servers")));
        return new Scaling(
                "CPU 50 % is from 30 % to 70 %",
                record,
                List.of(
                        new Server(new ServerId("s1"), OptionalDouble.of(1), 2, 0, 0, 0, 0, 5, 3, 4, "not launched"),
                        new Server(new ServerId("s2"), OptionalDouble.empty(), 2, 0, 0, 0, 0, 5, 1, 2, "")),
                "pauses for 9 s after the last change",
                "launch failed: no capacity");
    }

    @Test
    void statusShowsInstancesAndDecisionsWithTheirEffect() {
        cluster.scaling = scaling("");
        Run run = uniserve.run("scaler", "status");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.out())
                .contains("scaling: CPU 50 % is from 30 % to 70 %")
                .contains("provider: launch failed: no capacity")
                .contains("auto-" + TOKEN, "JOINED", "i-7")
                .contains("add auto-" + TOKEN + ": CPU 80 % is above 70 % -> joined, 2 servers");
        cluster.scaling = scaling("load test");
        assertThat(uniserve.run("scaler", "status").out()).contains("scaling: held (load test); ");
        assertThat(uniserve.run("scaler", "status", "-o", "json").out())
                .contains("\"hold\":\"load test\"", "\"state\":\"JOINED\"", "\"cpu_cores\":null");
    }

    @Test
    void explainShowsTheFirstReasonPerServer() {
        cluster.scaling = scaling("");
        Run run = uniserve.run("scaler", "explain");
        assertThat(run.out())
                .contains("adding: pauses for 9 s after the last change")
                .containsPattern("s1 +50 % +2\\.00 +3 +4 +stays: not launched")
                .containsPattern("s2 +unknown +2\\.00 +1 +2 +may go");
    }

    @Test
    void holdAndResume() {
        assertThat(uniserve.run("scaler", "hold", "--reason", "load test").exit())
                .isEqualTo(ExitCode.OK);
        assertThat(uniserve.run("scaler", "resume").exit()).isEqualTo(ExitCode.OK);
        assertThat(cluster.changes()).contains("hold-scaling 'load test'", "hold-scaling ''");
        assertThat(uniserve.run("scaler", "hold", "--reason", " ").exit()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void withoutAProviderTheErrorSaysSoAndStatusIsSilent() {
        Run run = uniserve.run("scaler", "status");
        assertThat(run.exit()).isNotEqualTo(ExitCode.OK);
        assertThat(run.err()).contains("no provider of servers");
        assertThat(uniserve.run("status").out()).doesNotContain("scaling:");
        cluster.scaling = scaling("");
        assertThat(uniserve.run("status").out()).contains("scaling: CPU 50 %").contains("-> joined, 2 servers");
    }
}
