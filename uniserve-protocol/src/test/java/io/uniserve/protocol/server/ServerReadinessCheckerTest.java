package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.server.config.Cluster;
import org.junit.jupiter.api.Test;

class ServerReadinessCheckerTest {
    private static final long SECOND = Cluster.SECOND;

    @Test
    void aServerThatComesBackIsReadyWhenItIsInSyncAgain() {
        Cluster cluster = new Cluster(2);
        cluster.create(4, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.converge(0, 2);
        Host host = cluster.server("s1");
        cluster.await(() -> host.machine().missingConditions().isEmpty(), 10);
        host.kill();
        assertThat(host.machine().missingConditions()).containsExactly("it has stopped");
        cluster.await(() -> cluster.actor(0).isr().size() == 1, 30);
        cluster.update(AckLevel.ISR, "b");
        host.start();
        assertThat(host.machine().missingConditions()).contains("it is not registered with ZooKeeper");
        cluster.await(
                () -> {
                    boolean ready = host.machine().missingConditions().isEmpty();
                    boolean inSync = cluster.map().actors().stream()
                            .allMatch(actor -> actor.isr().contains(new ServerId("s1")));
                    assertThat(!ready || inSync)
                            .as("ready only when in sync everywhere")
                            .isTrue();
                    return ready;
                },
                60);
    }

    @Test
    void withoutTheRegistryTheLeaseEndsAndWithItReadiness() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.converge(0, 2);
        Host host = cluster.server("s2");
        cluster.await(() -> host.machine().missingConditions().isEmpty(), 10);
        host.registry().cut(true);
        cluster.loop.run(20 * SECOND);
        assertThat(host.machine().missingConditions()).contains("t/0 has no read lease here");
        host.registry().cut(false);
        cluster.await(() -> host.machine().missingConditions().isEmpty(), 30);
    }

    @Test
    void aDrainingServerIsNotReady() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.converge(0, 2);
        Host host = cluster.server("s2");
        host.machine().drain(done -> {});
        assertThat(host.machine().missingConditions()).containsExactly("it drains");
    }
}
