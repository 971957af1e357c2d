package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.config.Cluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.registry.CoordinatorRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.identity.ClusterModes;
import io.uniserve.protocol.server.config.Cluster;
import io.uniserve.protocol.testing.TestingStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Processes in mode open beside a leading coordinator in mode closed. */
class ClusterModesTest {
    private static final Address LEADER = new Address("c9", 7000);
    private static final CoordinatorRecord CLOSED = new CoordinatorRecord("c9", LEADER, true);

    /** Makes a process in mode closed the leader. */
    private static void closedLeader(TestingStore store) {
        int version = store.read(RegistryPaths.LEADER).version();
        List<Op> ops = new ArrayList<>();
        if (version >= 0) {
            ops.add(new Op.Delete(RegistryPaths.LEADER, version));
        }
        ops.add(new Op.Create(RegistryPaths.LEADER, CLOSED, true));
        store.multi("c9", ops);
    }

    @Test
    void onlyAProcessInModeOpenIsRefused() {
        assertThat(ClusterModes.refusal(false, "server s1", CLOSED))
                .get()
                .satisfies(error -> assertThat(error.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
                .extracting(UniserveException::reason)
                .asString()
                .contains("server s1 is in mode open", "c9:7000", "security.mode = closed");
        assertThat(ClusterModes.refusal(true, "server s1", CLOSED)).isEmpty();
        assertThat(ClusterModes.refusal(true, "server s1", new CoordinatorRecord("c9", LEADER)))
                .as("a cluster is being closed")
                .isEmpty();
        assertThat(ClusterModes.refusal(false, "server s1", new CoordinatorRecord("c9", LEADER)))
                .isEmpty();
    }

    @Test
    void aServerEndsOnceAClosedCoordinatorLeads() {
        Cluster cluster = new Cluster(2);
        cluster.loop.run(2 * SECOND);
        assertThat(cluster.server("s1").fatal).isEmpty();
        closedLeader(cluster.store);
        cluster.loop.run(15 * SECOND);
        cluster.servers
                .values()
                .forEach(host -> assertThat(host.fatal)
                        .singleElement()
                        .satisfies(error ->
                                assertThat(error.toString()).contains("is in mode open", "security.mode = closed")));
    }

    @Test
    void aStandbyEndsAndNeverLeads() {
        TestingCluster cluster = new TestingCluster();
        closedLeader(cluster.store);
        List<UniserveException> fatal = new ArrayList<>();
        Node standby = cluster.coordinator("c1");
        standby.machine().onFatal(fatal::add);
        cluster.loop.run(2 * SECOND);
        assertThat(fatal).singleElement().asString().contains("coordinator c1 is in mode open");
        int version = cluster.store.read(RegistryPaths.LEADER).version();
        cluster.store.multi("c9", List.of(new Op.Delete(RegistryPaths.LEADER, version)));
        cluster.loop.run(10 * SECOND);
        assertThat(standby.machine().isLeader()).isFalse();
        assertThat(fatal).hasSize(1);
    }
}
