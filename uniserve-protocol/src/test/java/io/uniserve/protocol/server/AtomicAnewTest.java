package io.uniserve.protocol.server;

import static io.uniserve.protocol.server.AtomicCluster.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * A manager's write arrives after its table was dropped and created again, with nodes of the same versions. A manager may pause for as long
 * as its session lives.
 */
class AtomicAnewTest {
    private static final Predicate<List<Op>> LOG_WRITE =
            ops -> ops.stream().anyMatch(op -> op instanceof Op.Set set && set.value() instanceof TransactionLogState);

    private final AtomicCluster atomic = new AtomicCluster(4, 2, 2);
    private final Cluster cluster = atomic.cluster;
    private final Host driver = cluster.server("s1");
    private final Host other = cluster.server("s2");
    private final long old = cluster.map().tableId();

    /** The old manager's writes arrive. The new table is unchanged and accepts updates. */
    private void arrives(TransactionLogState before, List<Outcome<UpdateReply>> late) {
        driver.registry().release();
        cluster.loop.run(AtomicCluster.SECOND);
        assertThat(atomic.log()).as("the new table's log").isEqualTo(before);
        assertThat(atomic.error(late)).isIn(ErrorCode.TABLE_NOT_FOUND, ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void aVersionIsBegunInTheOldLogOnly() {
        driver.registry().hold(LOG_WRITE);
        List<Outcome<UpdateReply>> late = atomic.send(driver, cluster.nextId(), 1, rows("old", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        atomic.recreate(2, 2);
        assertThat(cluster.map().tableId()).isGreaterThan(old);
        arrives(atomic.log(), late);
        assertThat(atomic.update(other, rows("new", 0, 1))).isEqualTo(1);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=new");
    }

    @Test
    void aCommitIsOfTheOldLogOnly() {
        driver.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> late = atomic.send(driver, cluster.nextId(), 1, rows("old", 0, 1));
        cluster.await(() -> driver.registry().holding() > 0, 10);
        int map = cluster.store.read(RegistryPaths.map(Cluster.T)).version();
        atomic.recreate(2, 2);
        other.registry().hold(AtomicCluster.DECISION);
        List<Outcome<UpdateReply>> mine = atomic.send(other, cluster.nextId(), 1, rows("new", 0, 1));
        cluster.await(() -> other.registry().holding() > 0, 10);
        assertThat(cluster.store.read(RegistryPaths.map(Cluster.T)).version())
                .as("the old driver's check of the map finds nothing")
                .isEqualTo(map);
        arrives(atomic.log(), late);
        other.registry().release();
        assertThat(atomic.version(mine)).isEqualTo(1);
        assertThat(atomic.readAlike(0, 1)).isEqualTo("1=new");
        assertThat(atomic.log().tableId()).isEqualTo(cluster.map().tableId());
    }

    /** With log paths by name alone, no log would be found. */
    @Test
    void aServerRefusesAnOlderLayout() {
        int version = cluster.store.read(RegistryPaths.CLUSTER).version();
        ClusterRecord older = new ClusterRecord("test", 9, List.of(), false);
        cluster.store.multi(this, List.of(new Op.Set(RegistryPaths.CLUSTER, older, version)));
        Host late = cluster.server("s9");
        late.start();
        cluster.loop.run(AtomicCluster.SECOND);
        assertThat(late.fatal).isNotEmpty();
        assertThat(late.fatal.get(0)).contains("UNSUPPORTED", "layout of earlier versions");
    }
}
