package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads of atomic tables with operators that take more than half of the query's time. They end, and no server repeats the work. */
class SlowReadsTest {
    private static final long SECONDS = 20;
    private static final long TAKES = 12 * Cluster.SECOND;

    private static AtomicReader reader(AtomicCluster atomic) {
        atomic.update(atomic.primary(0), rows("a", 0, 1));
        AtomicReader reader = atomic.reader();
        reader.takesNanos = TAKES;
        return reader;
    }

    @Test
    void theOnlyReplicasAreAskedOnce() {
        AtomicReader reader = reader(new AtomicCluster(3, 2, 1));
        assertThat(reader.ask(SECONDS)).isInstanceOf(Outcome.Ok.class);
        assertThat(reader.calls).as("one call per server").isEqualTo(2);
        reader.calls = 0;
        assertThat(reader.strict(SECONDS, Cluster.T)).isInstanceOf(Outcome.Ok.class);
        assertThat(reader.calls).as("one call per server").isEqualTo(2);
    }

    @Test
    void anotherReplicaIsAskedBesideTheFirst() {
        AtomicReader reader = reader(new AtomicCluster(4, 2, 2));
        assertThat(reader.ask(SECONDS)).isInstanceOf(Outcome.Ok.class);
        assertThat(reader.calls).as("each replica once").isBetween(2, 4);
        reader.calls = 0;
        assertThat(reader.strict(SECONDS, Cluster.T)).isInstanceOf(Outcome.Ok.class);
        assertThat(reader.calls).as("each replica once").isBetween(2, 4);
    }

    @Test
    void operatorsThatLeaveSomethingAreNotRunTwice() {
        AtomicReader reader = reader(new AtomicCluster(4, 2, 2));
        reader.ofOneMoment = true;
        Outcome<List<StrictReadExecution.Result>> read = reader.strict(SECONDS, Cluster.T);
        assertThat(read).isInstanceOf(Outcome.Ok.class);
        assertThat(reader.actorsAsked.values().stream()
                        .mapToInt(Integer::intValue)
                        .sum())
                .as("each actor once")
                .isEqualTo(2);
    }

    @Test
    void aServerThatLeftTheClusterIsGivenUp() {
        AtomicCluster atomic = new AtomicCluster(3, 2, 1);
        AtomicReader reader = reader(atomic);
        reader.takesNanos = 600 * Cluster.SECOND; // the answer never arrives
        List<Outcome<SnapshotReadExecution.Result>> outcome = new ArrayList<>();
        reader.begin(60, List.of(1), outcome::add);
        atomic.cluster.loop.run(Cluster.SECOND);
        Host dead = atomic.primary(1);
        dead.kill();
        atomic.cluster.loop.run(20 * Cluster.SECOND);
        dead.start();
        reader.takesNanos = 0;
        atomic.cluster.await(() -> !outcome.isEmpty(), 61);
        assertThat(outcome.get(0)).isInstanceOf(Outcome.Ok.class);
    }
}
