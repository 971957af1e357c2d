package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogOptions;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Actors that accept no updates now, with a reason that their client gets. */
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

    @Test
    void theClientHearsThatTheLogIsFull() {
        AtomicCluster atomic = small();
        List<Outcome<Long>> large = new AtomicWriter(atomic).begin(1 << 20, 30, rows(LARGE, 0, 1));
        atomic.cluster.await(() -> !large.isEmpty(), 1);
        assertThat(error(large).code()).isEqualTo(ErrorCode.LOG_FULL);
        assertThat(error(large).reason()).contains("actor 0", "log");
        assertThat(atomic.version(atomic.send(atomic.primary(0), atomic.cluster.nextId(), 1, rows("b", 1))))
                .as("another actor has room")
                .isPositive();
        atomic.cluster.loop.run(4 * Cluster.SECOND);
        long version = new AtomicWriter(atomic).write(1 << 20, rows("c", 0, 1));
        assertThat(atomic.readAlike(0)).isEqualTo(version + "=c");
    }

    /** Updates of other actors need not wait for one with a full log. */
    @Test
    void whatIsMergedWithItPasses() {
        AtomicCluster atomic = small();
        Host driver = atomic.primary(0);
        List<Outcome<UpdateReply>> large = atomic.send(driver, atomic.cluster.nextId(), 1, rows(LARGE, 0, 1));
        List<Outcome<UpdateReply>> other = atomic.send(driver, atomic.cluster.nextId(), 1, rows("b", 1));
        assertThat(atomic.error(large)).isEqualTo(ErrorCode.LOG_FULL);
        long version = atomic.version(other);
        atomic.awaitRows(1, version + "=b");
        atomic.awaitRows(0);
    }

    @Test
    void theClientHearsThatReplicasAreMissing() {
        AtomicCluster atomic = new AtomicCluster(new Cluster(3), 1, 3, ConsistencyLevel.FULLY_SERIALIZABLE, 3);
        atomic.follower(0).kill();
        atomic.cluster.await(() -> atomic.cluster.actor(0).isr().size() == 2, 60);
        List<Outcome<Long>> outcome = new AtomicWriter(atomic).begin(1 << 20, 30, rows("a", 0));
        atomic.cluster.await(() -> !outcome.isEmpty(), 31);
        assertThat(error(outcome).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        assertThat(error(outcome).reason()).contains("actor 0", "minIsr is 3");
    }

    @Test
    void anUpdateWaitsForItsReplicas() {
        AtomicCluster atomic = new AtomicCluster(new Cluster(3), 1, 3, ConsistencyLevel.FULLY_SERIALIZABLE, 3);
        Host follower = atomic.follower(0);
        follower.kill();
        atomic.cluster.await(() -> atomic.cluster.actor(0).isr().size() == 2, 60);
        AtomicWriter writer = new AtomicWriter(atomic);
        List<Outcome<Long>> outcome = writer.begin(1 << 20, 60, rows("a", 0));
        atomic.cluster.loop.run(12 * Cluster.SECOND);
        assertThat(outcome).isEmpty();
        assertThat(writer.sent).as("a few attempts, not ten a second").hasSizeLessThan(25);
        follower.start();
        atomic.awaitRows(0, writer.version(outcome) + "=a");
    }

    /** A manager keeps the rows of waiting updates, so many clients with large updates must not fill its memory. */
    @Test
    void updatesThatWaitAreBoundedByTheirBytes() {
        AtomicCluster atomic = new AtomicCluster(3, 1, 2);
        Host driver = atomic.primary(0);
        driver.engine().hangPrepares();
        List<Outcome<UpdateReply>> first = atomic.send(driver, atomic.cluster.nextId(), 1, rows("a", 0));
        String large = "l".repeat(20 << 20);
        for (int i = 0; i < 3; i++) {
            assertThat(atomic.send(driver, atomic.cluster.nextId(), 1, rows(large, 0)))
                    .isEmpty();
        }
        List<Outcome<UpdateReply>> more = atomic.send(driver, atomic.cluster.nextId(), 1, rows(large, 0));
        atomic.cluster.loop.run(Cluster.SECOND / 100);
        assertThat(more).hasSize(1);
        assertThat(atomic.error(more)).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        List<Outcome<UpdateReply>> little = atomic.send(driver, atomic.cluster.nextId(), 1, rows("b", 0));
        atomic.cluster.loop.run(Cluster.SECOND / 100);
        assertThat(little).as("there is room for small ones").isEmpty();
        assertThat(first).isEmpty();
    }

    private static UniserveException error(List<Outcome<Long>> outcome) {
        return ((Outcome.Err<Long>) outcome.get(0)).error();
    }
}
