package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Servers whose durable storage costs per request: runs of several actors' logs share objects. */
class BatchedLogTest {
    private static final int ACTORS = 6;

    private final List<Integer> rows = new ArrayList<>();

    private static Cluster cluster() {
        Cluster cluster = new Cluster(0);
        cluster.objects.price();
        cluster.server("s1").start();
        cluster.server("s2").start();
        cluster.loop.run(Cluster.SECOND);
        cluster.create(ACTORS, 1, 1, OnLoss.WAIT);
        return cluster;
    }

    /** Puts a row into each actor, per second. */
    private void updateFor(Cluster cluster, int seconds) {
        for (int second = 0; second < seconds; second++) {
            for (int actor = 0; actor < ACTORS; actor++) {
                update(cluster, actor, "r" + rows.size());
            }
            rows.add(second);
            cluster.loop.run(Cluster.SECOND);
        }
    }

    private static void update(Cluster cluster, int actor, String row) {
        cluster.ack(cluster.send(
                actor, cluster.primary(actor), cluster.actor(actor).epoch(), cluster.nextId(), AckLevel.ISR, row));
    }

    private void checkRows(Cluster cluster) {
        for (int actor = 0; actor < ACTORS; actor++) {
            assertThat(cluster.primary(actor).engine().rows(cluster.key(actor)))
                    .as("actor " + actor)
                    .hasSize(rows.size());
        }
    }

    private static void loseDiskOf(Cluster cluster, ServerId server) {
        cluster.server(server).kill();
        cluster.await(() -> primaries(cluster).stream().noneMatch(server::equals), 120);
        for (int actor = 0; actor < ACTORS; actor++) {
            int moved = actor;
            cluster.await(() -> cluster.primary(moved).serving(cluster.key(moved)), 60);
        }
    }

    private static TreeSet<ServerId> primaries(Cluster cluster) {
        TreeSet<ServerId> primaries = new TreeSet<>();
        for (int actor = 0; actor < ACTORS; actor++) {
            primaries.add(cluster.actor(actor).primary());
        }
        return primaries;
    }

    private static void awaitClean(Cluster cluster) {
        for (int actor = 0; actor < ACTORS; actor++) {
            int each = actor;
            cluster.await(() -> cluster.clean(each), 30);
        }
    }

    @Test
    void aLostServersActorsAreRestoredFromSharedObjects() {
        Cluster cluster = cluster();
        updateFor(cluster, 30);
        awaitClean(cluster);
        assertThat(cluster.objects.keys("batch/")).hasSizeBetween(10, 80);
        assertThat(cluster.objects.puts())
                .as("puts of 180 updates on two servers")
                .isLessThan(150);
        loseDiskOf(cluster, cluster.actor(0).primary());
        checkRows(cluster);
        assertThat(primaries(cluster)).hasSize(1);
    }

    @Test
    void anIdleServerAsksThreeTimesPerHour() {
        Cluster cluster = cluster();
        updateFor(cluster, 5);
        cluster.loop.run(3_600 * Cluster.SECOND);
        int lists = cluster.objects.lists();
        int gets = cluster.objects.gets();
        int puts = cluster.objects.puts();
        cluster.loop.run(3_600 * Cluster.SECOND);
        assertThat(cluster.objects.lists() - lists)
                .as("owner and batches, by two servers")
                .isBetween(10, 12);
        assertThat(cluster.objects.gets() - gets).as("owner, before a listing").isBetween(5, 6);
        assertThat(cluster.objects.puts()).isEqualTo(puts);
    }

    @Test
    void longerRunsRestoreThemAfterSomeMinutes() {
        Cluster cluster = cluster();
        updateFor(cluster, 200);
        cluster.loop.run(1_000 * Cluster.SECOND);
        awaitClean(cluster);
        assertThat(cluster.objects.keys("batch/")).isEmpty();
        assertThat(cluster.objects.keys("backup/").stream().filter(key -> key.contains("/log/")))
                .hasSizeLessThan(6 * ACTORS);
        loseDiskOf(cluster, cluster.actor(0).primary());
        checkRows(cluster);
    }
}
