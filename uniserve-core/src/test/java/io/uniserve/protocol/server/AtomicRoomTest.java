package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ConsistencyLevel;
import io.uniserve.protocol.log.LogOptions;
import org.junit.jupiter.api.Test;

/** Actors that take no updates now, and say why: their client hears it. */
class AtomicRoomTest {
    private static final String LARGE = "l".repeat(4_000);

    private static AtomicCluster small() {
        Cluster cluster = new Cluster(3, 20_000, new LogOptions(1 << 20, 1 << 20, 3_000));
        return new AtomicCluster(cluster, 2, 2, ConsistencyLevel.FULLY_SERIALIZABLE);
    }

    private static int validations(AtomicCluster atomic) {
        return atomic.cluster.servers.values().stream()
                .mapToInt(host -> host.engine().validations())
                .sum();
    }

    @Test
    void rowsThatTheLogHasNoRoomForAreNotChecked() {
        AtomicCluster atomic = small();
        atomic.send(atomic.primary(0), atomic.cluster.nextId(), 1, rows(LARGE, 0));
        atomic.cluster.loop.run(5 * Cluster.SECOND);
        assertThat(validations(atomic)).isZero();
    }
}
