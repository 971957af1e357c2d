package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.CoordinatorRecord;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.testing.TestingLoop;
import io.uniserve.protocol.testing.TestingNetwork;
import io.uniserve.protocol.testing.TestingRegistry;
import io.uniserve.protocol.testing.TestingStore;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A read may return the state before a change that the watch has reported. It is corrected without a second report. */
class ClusterMembersTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Address LEADER = new Address("c1", 7000);

    private final TestingLoop loop = new TestingLoop();
    private final TestingStore store = new TestingStore();
    private final TestingRegistry registry = new TestingRegistry(loop, store);
    private final ClusterMembers members = started();

    @SuppressWarnings("NullAway")
    private ClusterMembers started() {
        Environment env = new Environment(loop, loop, new TestingNetwork(loop), registry, null, null, null, () -> 1);
        ClusterMembers made = new ClusterMembers(env, SECOND / 10, new RegistryWatches(registry), () -> {}, read -> {});
        made.start();
        loop.run(SECOND / 10);
        return made;
    }

    /** A change whose watch has fired too early, as at a follower of the ensemble that lags. */
    private void changeUntold(String path, RegistryValue value) {
        registry.deaf(true);
        store.multi("other", List.of(new Op.Create(path, value, true)));
        loop.run(SECOND / 10);
        registry.deaf(false);
    }

    @Test
    void theLeaderIsReadAgainNowAndThen() {
        changeUntold(RegistryPaths.LEADER, new CoordinatorRecord("c1", LEADER));
        assertThat(members.coordinator()).isNull();
        loop.run(11 * SECOND);
        assertThat(members.coordinator()).isEqualTo(LEADER);
    }

    @Test
    void namesOfServersAreComparedNowAndThen() {
        ServerId id = new ServerId("s9");
        Address address = new Address("s9", 8000);
        changeUntold(RegistryPaths.server(id), new ServerRecord(id, 1, address, "z", new Capacity(1, 1, 1), List.of()));
        assertThat(members.find(id)).isNull();
        loop.run(11 * SECOND);
        assertThat(members.find(id)).isNotNull();
    }
}
