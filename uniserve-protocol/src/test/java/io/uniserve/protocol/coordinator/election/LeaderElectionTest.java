package io.uniserve.protocol.coordinator.election;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.CoordinatorRecord;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.TestingServer;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaderElectionTest {
    private final TestingCluster cluster = new TestingCluster();

    @Test
    void theFirstLeadsTheSecondStandsByAndNamesIt() {
        Node first = cluster.leading(1);
        Node second = cluster.coordinator("c2");
        cluster.loop.run(SECOND);
        assertThat(second.machine().isLeader()).isFalse();
        assertThat(second.machine().leader()).hasValue(first.address());
        assertThat(second.machine().routing()).isEqualTo(first.machine().routing());
        UniserveException refusal = cluster.refused(second, new AdminRequest.ListTables());
        assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_LEADER);
        assertThat(refusal.reason()).contains("c1:7000");
    }

    @Test
    void whoStandsByKnowsTheTablesWhileItReadsThemAnewAndForgetsThoseThatAreDropped() {
        Node first = cluster.leading(2);
        cluster.create(first, TestingCluster.table("t", 4, 2));
        cluster.create(first, TestingCluster.table("u", 1, 1));
        Node second = cluster.coordinator("c2");
        cluster.loop.run(SECOND);
        assertThat(tables(second)).containsExactly("t", "u");
        for (int i = 0; i < 60_000; i++) {
            cluster.loop.run(MILLI);
            assertThat(tables(second)).as("after %d ms", i).containsExactly("t", "u");
        }
        cluster.admin(first, new AdminRequest.DropTable(new TableName("t")));
        cluster.loop.run(SECOND);
        assertThat(tables(second)).containsExactly("u");
    }

    private static List<String> tables(Node node) {
        return node.machine().routing().orElseThrow().tables().stream()
                .map(table -> table.meta().name().value())
                .toList();
    }

    @Test
    void theStandbyTakesOverWithALargerTermWhenTheLeaderStops() {
        Node first = cluster.leading(1);
        Node second = cluster.coordinator("c2");
        cluster.loop.run(SECOND);
        int term = first.machine().term().orElseThrow();
        first.machine().stop();
        cluster.loop.run(100 * MILLI);
        assertThat(first.machine().isLeader()).isFalse();
        assertThat(second.machine().isLeader()).isTrue();
        assertThat(second.machine().term().orElseThrow()).isGreaterThan(term);
        assertThat(cluster.store.read(RegistryPaths.TERM).version())
                .isEqualTo(second.machine().term().orElseThrow());
    }

    @Test
    void aLeaderWhoseSessionEndedUnnoticedCanWriteNothing() {
        Node first = cluster.leading(2);
        cluster.create(first, TestingCluster.table("t", 4, 2));
        Node second = cluster.coordinator("c2");
        cluster.loop.run(SECOND);
        first.registry().expireUnnoticed();
        cluster.loop.run(SECOND);
        assertThat(second.machine().isLeader()).isTrue();
        int version = cluster.store.read(RegistryPaths.CLUSTER).version();
        UniserveException error = cluster.refused(first, new AdminRequest.CreateTable(TestingCluster.table("u", 1, 1)));
        assertThat(error.code()).isIn(ErrorCode.OUTCOME_UNKNOWN, ErrorCode.NOT_LEADER);
        assertThat(first.machine().isLeader()).isFalse();
        assertThat(cluster.store.read(RegistryPaths.CLUSTER).version()).isEqualTo(version);
        assertThat(cluster.admin(second, new AdminRequest.ListTables()))
                .isInstanceOfSatisfying(
                        AdminReply.Tables.class, t -> assertThat(t.tables()).hasSize(1));
    }

    @Test
    void aWriteUnderWayWhenTheTermIsTakenIsRefused() {
        Node first = cluster.leading(2);
        cluster.create(first, TestingCluster.table("t", 1, 2));
        TestingServer primary = cluster.server(cluster.actor("t", 0).primary().value());
        CoordinatorRecord other = new CoordinatorRecord("other", first.address());
        int term = cluster.store.read(RegistryPaths.TERM).version();
        cluster.store.multi(
                "other",
                List.of(new Op.Set(RegistryPaths.TERM, new io.uniserve.model.registry.TermRecord(other.id()), term)));
        primary.kill();
        cluster.loop.run(400 * MILLI);
        assertThat(cluster.actor("t", 0).primary()).isEqualTo(primary.id);
        assertThat(first.machine().isLeader()).isFalse();
        cluster.loop.run(5 * SECOND);
        assertThat(first.machine().isLeader()).as("leads again in a new term").isTrue();
        assertThat(cluster.actor("t", 0).primary()).isNotEqualTo(primary.id);
    }

    @Test
    void anExpiredLeaderStopsAtOnceAndCampaignsAgain() {
        Node node = cluster.leading(1);
        int term = node.machine().term().orElseThrow();
        node.registry().expire();
        cluster.loop.run(1_500);
        assertThat(node.machine().isLeader()).isFalse();
        cluster.loop.run(2 * SECOND);
        assertThat(node.machine().term().orElseThrow()).isGreaterThan(term);
    }

    @Test
    void unknownOutcomesOfTheElectionAreReadNotGuessed() {
        for (int lost = 0; lost < 4; lost++) {
            TestingCluster fresh = new TestingCluster();
            Node node = fresh.coordinator("c1");
            for (int i = 0; i <= lost; i++) {
                if (i % 2 == 0) {
                    node.registry().loseNextAnswer();
                } else {
                    node.registry().loseNextWrite();
                }
            }
            fresh.loop.run(10 * SECOND);
            assertThat(node.machine().isLeader()).isTrue();
            assertThat(fresh.store.read(RegistryPaths.TERM).version())
                    .isEqualTo(node.machine().term().orElseThrow());
        }
    }

    @Test
    void aRegistryOfAnotherClusterIsRefused() {
        cluster.store.multi("x", List.of(new Op.Create(RegistryPaths.CLUSTER, new ClusterRecord("another", 1), false)));
        Node node = cluster.coordinator("c1");
        List<UniserveException> fatal = new ArrayList<>();
        node.machine().onFatal(fatal::add);
        cluster.loop.run(5 * SECOND);
        assertThat(fatal).singleElement().extracting(UniserveException::code).isEqualTo(ErrorCode.WRONG_CLUSTER);
        assertThat(node.machine().isLeader()).isFalse();
        assertThat(cluster.store.value(RegistryPaths.LEADER)).isNull();
    }

    @Test
    void aRegistryLaidOutAsByEarlierVersionsIsRefused() {
        ClusterRecord older = new ClusterRecord("test", 1, List.of(), false);
        cluster.store.multi("x", List.of(new Op.Create(RegistryPaths.CLUSTER, older, false)));
        Node node = cluster.coordinator("c1");
        List<UniserveException> fatal = new ArrayList<>();
        node.machine().onFatal(fatal::add);
        cluster.loop.run(5 * SECOND);
        assertThat(fatal)
                .singleElement()
                .extracting(UniserveException::getMessage)
                .asString()
                .contains("UNSUPPORTED", "laid out as by earlier versions", "back its tables up");
        assertThat(node.machine().isLeader()).isFalse();
    }

    @Test
    void aRegistryThatIsAbsentAtStartIsWaitedFor() {
        Node node = cluster.coordinator("c1");
        node.registry().cut(true);
        cluster.loop.run(70 * SECOND);
        assertThat(node.machine().isLeader()).isFalse();
        node.registry().cut(false);
        cluster.loop.run(2 * SECOND);
        assertThat(node.machine().isLeader()).isTrue();
    }

    @Test
    void aStandbyRelaysTheRoutingAsItChanges() {
        Node first = cluster.leading(2);
        Node second = cluster.coordinator("c2");
        cluster.loop.run(SECOND);
        List<Routing> pushed = new ArrayList<>();
        second.machine().onRouting(pushed::add);
        cluster.create(first, TestingCluster.table("t", 2, 2));
        cluster.loop.run(SECOND);
        assertThat(pushed.get(pushed.size() - 1))
                .isEqualTo(first.machine().routing().orElseThrow());
        cluster.server("s1").kill();
        cluster.loop.run(SECOND);
        assertThat(pushed.get(pushed.size() - 1).servers()).hasSize(1);
        assertThat(pushed.get(pushed.size() - 1))
                .isEqualTo(first.machine().routing().orElseThrow());
        cluster.admin(first, new AdminRequest.DropTable(new TableName("t")));
        cluster.loop.run(SECOND);
        assertThat(pushed.get(pushed.size() - 1).tables()).isEmpty();
        second.registry().expire();
        cluster.create(first, TestingCluster.table("u", 1, 1));
        cluster.loop.run(5 * SECOND);
        assertThat(pushed.get(pushed.size() - 1).tables()).hasSize(1);
    }

    @Test
    void nodesThatAreNoTablesOrServersAreLeftAlone() {
        ClusterRecord stray = new ClusterRecord("x", 1);
        cluster.store.multi("x", List.of(new Op.Create("/tables/7up/meta", stray, false)));
        cluster.store.multi("x", List.of(new Op.Create("/servers/a.b", stray, false)));
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 2, 2));
        assertThat(node.machine().routing().orElseThrow().servers()).hasSize(2);
        assertThat(cluster.store.value("/tables/7up/meta")).isEqualTo(stray);
    }
}
