package io.uniserve.protocol.coordinator;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class HealthTest {
    private final TestingCluster cluster = new TestingCluster();

    private long hosted(String server) {
        return cluster.map("t").actors().stream()
                .filter(a -> a.isr().contains(TestingCluster.id(server)))
                .count();
    }

    private List<String> live(Node node) {
        return node.machine().routing().orElseThrow().servers().stream()
                .map(ServerRecord::id)
                .map(Object::toString)
                .toList();
    }

    @Test
    void threeFailedPingsMakeAServerDeadUntilOneSucceeds() {
        Node node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 3, 2));
        cluster.server("s1").hang();
        cluster.loop.run(200 * MILLI);
        assertThat(hosted("s1")).isEqualTo(2);
        cluster.loop.run(800 * MILLI);
        assertThat(hosted("s1")).isZero();
        assertThat(live(node)).containsExactly("s2", "s3");
        cluster.server("s1").answer();
        cluster.loop.run(SECOND);
        assertThat(live(node)).containsExactly("s1", "s2", "s3");
    }

    @Test
    void aTableThatNeedsAServerThatIsSilentIsRefusedForNow() {
        Node node = cluster.leading(3);
        cluster.server("s1").hang();
        cluster.loop.run(SECOND);
        AdminRequest.CreateTable three = new AdminRequest.CreateTable(TestingCluster.table("t", 3, 3));
        UniserveException now = cluster.refused(node, three);
        assertThat(now.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(now.reason()).contains("rf is 3", "2 servers are live", "1 registered ones do not answer");
        AdminRequest.CreateTable four = new AdminRequest.CreateTable(TestingCluster.table("t", 3, 4));
        assertThat(cluster.refused(node, four).code()).as("more than there are").isEqualTo(ErrorCode.INVALID_ARGUMENT);
        cluster.server("s1").answer();
        cluster.loop.run(SECOND);
        cluster.create(node, TestingCluster.table("t", 3, 3));
    }

    @Test
    void twoReportersAndOneFailedPingAreEnough() {
        Node node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 3, 2));
        cluster.server("s1").hang();
        long incarnation = cluster.server("s1").incarnation();
        report(node, "s2", incarnation);
        report(node, "s2", incarnation);
        assertThat(hosted("s1")).isEqualTo(2);
        report(node, "s3", incarnation);
        assertThat(hosted("s1")).isZero();
    }

    @Test
    void reportsAboutAServerThatAnswersOrAnEarlierIncarnationDoNothing() {
        Node node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 3, 2));
        long incarnation = cluster.server("s1").incarnation();
        report(node, "s2", incarnation);
        report(node, "s3", incarnation);
        assertThat(hosted("s1")).isEqualTo(2);
        cluster.server("s1").hang();
        report(node, "s2", incarnation - 1);
        report(node, "s3", incarnation - 1);
        report(node, "s1", incarnation);
        report(node, "nobody", incarnation);
        assertThat(hosted("s1")).isEqualTo(2);
    }

    private void report(Node node, String reporter, long incarnation) {
        cluster.peer(
                node, new PeerRequest.Suspect(TestingCluster.id(reporter), TestingCluster.id("s1"), incarnation, 3));
    }

    @Test
    void whenMostServersLookDeadByPingsOnlyThoseGoneAreFailedOver() {
        Node node = cluster.leading(7);
        cluster.create(node, TestingCluster.table("t", 2, 7));
        for (String name : List.of("s1", "s2", "s3", "s4", "s5")) {
            cluster.server(name).hang();
        }
        cluster.loop.run(5 * SECOND);
        assertThat(hosted("s1") + hosted("s5")).isEqualTo(4);
        cluster.server("s5").kill();
        cluster.loop.run(SECOND);
        assertThat(hosted("s5")).isZero();
        assertThat(hosted("s1")).isEqualTo(2);
        cluster.server("s4").answer();
        cluster.loop.run(2 * SECOND);
        assertThat(hosted("s1")).as("three of six may be failed over").isZero();
        assertThat(hosted("s4")).isEqualTo(2);
    }

    @Test
    void aRestartedServerStartsWithACleanRecord() {
        Node node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 3, 2));
        cluster.server("s1").hang();
        cluster.loop.run(3 * SECOND);
        cluster.server("s1").kill();
        cluster.server("s1").start();
        cluster.loop.run(200 * MILLI);
        assertThat(live(node)).contains("s1");
    }
}
