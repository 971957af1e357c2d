package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * An engine that is not deterministic: a replica prepares other contents than its primary, and reports success.
 *
 * <p>Servers do not compare contents at each update, as that would cost as much as the rows, so they do not detect it; the port's test kit
 * and the simulation do. These cases show the bounds of the effect. The update itself stays right. The replica keeps its contents until it
 * is rebuilt from the log or from a checkpoint of another replica.
 */
class AtomicDiffersTest {
    private final AtomicCluster atomic = new AtomicCluster(4, 2, 2);
    private final Cluster cluster = atomic.cluster;
    private final Host primary = atomic.primary(1);
    private final Host other = atomic.follower(1);
    private final Host driver = atomic.other(1);

    @BeforeEach
    void oneReplicaDiffers() {
        other.engine().prepareAs(rows -> rows + "*");
        assertThat(atomic.update(driver, rows("a", 0, 1))).isEqualTo(1);
        cluster.await(() -> atomic.doubt(primary, 1) == 0 && atomic.doubt(other, 1) == 0, 10);
        assertThat(digest(other)).as("a comparison shows it").isNotEqualTo(digest(primary));
    }

    private Bytes digest(Host host) {
        List<Outcome<Bytes>> digest = new ArrayList<>();
        host.engine().digest(cluster.key(1), digest::add);
        cluster.await(() -> !digest.isEmpty(), 1);
        return ((Outcome.Ok<Bytes>) digest.get(0)).value();
    }

    @Test
    void itIsCommittedAndEachReplicaAnswersWithItsOwn() {
        long epoch = cluster.actor(1).epoch();
        assertThat(atomic.ask(primary, 1, 0)).isEqualTo(new AtomicCluster.Answer(1, List.of("1=a"), Optional.empty()));
        assertThat(atomic.ask(other, 1, 0)).isEqualTo(new AtomicCluster.Answer(1, List.of("1=a*"), Optional.empty()));
        cluster.loop.run(60 * Cluster.SECOND);
        assertThat(cluster.actor(1).epoch()).as("both stay in sync").isEqualTo(epoch);
        assertThat(requireNonNull(other.gates.get(cluster.key(1))).appliedIndex())
                .isEqualTo(requireNonNull(primary.gates.get(cluster.key(1))).appliedIndex());
    }

    /** So a takeover changes what readers see. */
    @Test
    void underAnotherPrimaryTheContentsAreThatOnes() {
        primary.kill();
        cluster.await(() -> atomic.primary(1) == other && other.serving(cluster.key(1)), 30);
        assertThat(atomic.reader().read(0, 1).values()).containsEntry(0, "1=a").containsEntry(1, "1=a*");
    }

    /**
     * The log has the rows as they were sent. An engine that is repaired, or differs by chance, builds the same contents as the others from
     * it.
     */
    @Test
    void aReplicaThatIsBuiltFromTheLogIsAsTheOthers() {
        other.kill();
        other.start();
        cluster.await(() -> cluster.actor(1).isr().size() == 2 && other.serving(cluster.key(1)), 60);
        atomic.awaitRows(1, "1=a");
        assertThat(digest(other)).isEqualTo(digest(primary));
        assertThat(atomic.ask(other, 1, 0).rows()).containsExactly("1=a");
    }
}
