package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An update whose function fails on every replica, every time: it is never acknowledged, and wears nothing out. */
class PoisonTest {
    private static final long SECOND = Cluster.SECOND;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void itIsNeverAcknowledgedAndEpochsGrowSlowly(int rf) {
        Cluster cluster = new Cluster(3);
        cluster.create(1, rf, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        long epoch = cluster.actor(0).epoch();
        assertThat(cluster.outcomeOf(cluster.send(cluster.nextId(), AckLevel.ISR, "poison")))
                .isNotNull();
        cluster.loop.run(1_800 * SECOND);
        assertThat(cluster.actor(0).epoch() - epoch).isLessThan(25);
        assertThat(cluster.servers.values()).allSatisfy(host -> {
            assertThat(host.fatal).isEmpty();
            assertThat(host.engine().builds()).isLessThan(400);
        });
    }

    @Test
    void otherActorsGoOn() {
        Cluster cluster = new Cluster(2);
        cluster.create(2, 2, 1, OnLoss.WAIT);
        cluster.send(cluster.nextId(), AckLevel.ISR, "poison");
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.primary(1).serving(cluster.key(1))).isTrue();
    }
}
