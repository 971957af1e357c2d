package io.uniserve.protocol.coordinator;

import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.IdentityRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.testing.TestingStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Coordinators create a cluster's identity, and never another one after it. */
class CoordinatorIdentityTest {
    private static final String OTHER = "5a2b7c10-93de-4f61-8a02-6c4d1e9f7b35";

    private final TestingCluster cluster = new TestingCluster();
    private final List<UniserveException> fatal = new ArrayList<>();

    private Node coordinator(String name) {
        Node node = cluster.coordinator(name);
        node.machine().onFatal(fatal::add);
        return node;
    }

    private String identity() {
        assertThat(cluster.store.children(RegistryPaths.IDENTITY)).hasSize(1);
        return cluster.store.children(RegistryPaths.IDENTITY).get(0);
    }

    @Test
    void theFirstLeaderWritesTheIdentityWithTheClusterAndTheNextKeepsIt() {
        Node first = coordinator("c1");
        List<String> told = new ArrayList<>();
        first.machine().onIdentity(told::add);
        cluster.loop.run(5 * SECOND);
        String identity = identity();
        assertThat(identity).matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
        assertThat(cluster.store.value(RegistryPaths.identity(identity)))
                .isEqualTo(new IdentityRecord("test", identity));
        assertThat(told).containsExactly(identity);
        Node second = coordinator("c2");
        cluster.loop.run(SECOND);
        first.machine().stop();
        cluster.loop.run(5 * SECOND);
        assertThat(second.machine().isLeader()).isTrue();
        assertThat(identity()).isEqualTo(identity);
        assertThat(fatal).isEmpty();
    }

    @Test
    void aRegistryOfAnEarlierVersionGetsAnIdentity() {
        ClusterRecord record = new ClusterRecord("test", 7);
        cluster.store.multi("x", List.of(new Op.Create(RegistryPaths.CLUSTER, record, false)));
        coordinator("c1");
        cluster.loop.run(5 * SECOND);
        assertThat(identity()).isNotEmpty();
        assertThat(cluster.store.value(RegistryPaths.CLUSTER)).isEqualTo(record);
        assertThat(fatal).isEmpty();
    }

    @Test
    void coordinatorsStopAndWriteNothingWhereTheIdentityIsGone() {
        Node leader = coordinator("c1");
        cluster.loop.run(SECOND);
        Node standby = coordinator("c2");
        cluster.loop.run(5 * SECOND);
        String identity = identity();
        cluster.store.replace(new TestingStore());
        leader.registry().expire();
        standby.registry().expire();
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.store.children("")).isEmpty();
        assertThat(fatal).hasSize(2).allSatisfy(error -> {
            assertThat(error.code()).isEqualTo(ErrorCode.WRONG_CLUSTER);
            assertThat(error.getMessage()).contains(identity, "has no identity", "zookeeper.connect", "coordinator c");
        });
    }

    @Test
    void aRegistryThatIsEmptiedUnderTheSameSessionIsNotBegunAnew() {
        coordinator("c1");
        cluster.loop.run(5 * SECOND);
        cluster.store.replace(new TestingStore());
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.store.children("")).isEmpty();
        assertThat(fatal).singleElement().extracting(UniserveException::code).isEqualTo(ErrorCode.WRONG_CLUSTER);
    }

    @Test
    void anotherClusterInPlaceOfTheFirstIsLeftAlone() {
        Node leader = coordinator("c1");
        cluster.loop.run(5 * SECOND);
        String identity = identity();
        TestingStore other = new TestingStore();
        other.multi(
                "x",
                List.of(
                        new Op.Create(RegistryPaths.CLUSTER, new ClusterRecord("test", 3), false),
                        new Op.Create(RegistryPaths.identity(OTHER), new IdentityRecord("test", OTHER), false)));
        cluster.store.replace(other);
        leader.registry().expire();
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.store.children("")).containsExactly("cluster", "identity");
        assertThat(fatal)
                .singleElement()
                .extracting(UniserveException::getMessage)
                .asString()
                .contains(identity, OTHER);
    }

    @Test
    void anIdentityWithoutItsClusterIsRefused() {
        cluster.store.multi(
                "x", List.of(new Op.Create(RegistryPaths.identity(OTHER), new IdentityRecord("test", OTHER), false)));
        coordinator("c1");
        cluster.loop.run(10 * SECOND);
        assertThat(cluster.store.value(RegistryPaths.CLUSTER)).isNull();
        assertThat(fatal).isNotEmpty();
        assertThat(fatal.get(0).getMessage()).contains(OTHER, "no cluster record", "Restore ZooKeeper");
    }
}
