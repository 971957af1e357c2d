package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import io.uniserve.protocol.testing.TestingRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerStateMachineTest {
    private static final long SECOND = Cluster.SECOND;

    @Test
    void appliesOnEveryReplica() {
        Cluster cluster = new Cluster(3);
        cluster.create(4, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.update(AckLevel.PRIMARY, "b");
        cluster.converge(0, 2);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).containsExactly("2=a", "3=b");
    }

    @Test
    void repeatsAreAcknowledgedOnce() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        RequestId id = cluster.nextId();
        List<Outcome<UpdateReply>> first = cluster.send(id, AckLevel.PRIMARY, "a");
        List<Outcome<UpdateReply>> under = cluster.send(id, AckLevel.ISR, "a");
        assertThat(cluster.ack(first).duplicate()).isFalse();
        assertThat(cluster.ack(under).duplicate()).isTrue();
        List<Outcome<UpdateReply>> after = cluster.send(id, AckLevel.ISR, "a");
        assertThat(cluster.ack(after).duplicate()).isTrue();
        assertThat(cluster.ack(after).index()).isEqualTo(cluster.ack(first).index());
        assertThat(cluster.failure(cluster.send(id, AckLevel.ISR, "other")).code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).hasSize(1);
    }

    @Test
    void refusesBadRowsAndWrongEpochs() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        assertThat(cluster.failure(cluster.send(cluster.nextId(), AckLevel.ISR, "bad"))
                        .code())
                .isEqualTo(ErrorCode.INVALID_ROW);
        Host primary = cluster.primary(0);
        assertThat(cluster.failure(cluster.send(primary, 7, cluster.nextId(), AckLevel.ISR, "a"))
                        .code())
                .isEqualTo(ErrorCode.STALE_EPOCH);
        Host other = cluster.servers.values().stream()
                .filter(h -> h != primary)
                .findFirst()
                .orElseThrow();
        assertThat(cluster.failure(cluster.send(other, 1, cluster.nextId(), AckLevel.ISR, "a"))
                        .code())
                .isEqualTo(ErrorCode.NOT_PRIMARY);
    }

    @Test
    void losesNothingAcknowledgedWhenAllDie() {
        Cluster cluster = new Cluster(3);
        cluster.create(1, 3, 2, OnLoss.WAIT);
        for (int i = 0; i < 20; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        List<String> rows = List.copyOf(cluster.primary(0).engine().rows(cluster.key(0)));
        cluster.servers.values().forEach(host -> host.kill(7));
        cluster.loop.run(SECOND);
        cluster.servers.values().forEach(Host::start);
        cluster.converge(0, 3);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).isEqualTo(rows);
    }

    @Test
    void failsOverAndTakesTheServerBack() {
        Cluster cluster = new Cluster(3);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        ServerId old = cluster.actor(0).primary();
        cluster.server(old).kill();
        cluster.await(() -> !cluster.actor(0).primary().equals(old), 20);
        cluster.update(AckLevel.ISR, "b");
        cluster.server(old).start();
        cluster.converge(0, 2);
        cluster.update(AckLevel.ISR, "c");
        cluster.converge(0, 2);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).hasSize(3);
    }

    @Test
    void cutsWhatOnlyTheOldPrimaryHad() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "kept");
        Host old = cluster.primary(0);
        ServerId oldId = cluster.actor(0).primary();
        ServerId other = cluster.actor(0).isr().stream()
                .filter(id -> !id.equals(oldId))
                .findFirst()
                .orElseThrow();
        cluster.network.stop(new io.uniserve.model.Address(other.value(), 8000));
        List<Outcome<UpdateReply>> lost = cluster.send(cluster.nextId(), AckLevel.PRIMARY, "lost");
        assertThat(cluster.ack(lost).index()).isPositive();
        old.kill();
        cluster.loop.run(SECOND / 10); // its last messages find no receiver
        cluster.network.serve(
                new io.uniserve.model.Address(other.value(), 8000),
                cluster.server(other).machine()::onPeer);
        cluster.await(() -> cluster.actor(0).primary().equals(other), 20);
        cluster.update(AckLevel.ISR, "new");
        old.start();
        cluster.converge(0, 2);
        assertThat(old.engine().rows(cluster.key(0))).noneMatch(row -> row.endsWith("lost"));
        assertThat(old.disk.files(cluster.key(0) + "/rollback/")).isNotEmpty();
    }

    @Test
    void isrAcknowledgementWaitsForTheFence() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        ServerId old = cluster.actor(0).primary();
        cluster.server(old).registry().cut(true);
        cluster.server(old).registry().expireUnnoticed();
        cluster.network.stop(new io.uniserve.model.Address(old.value(), 8000));
        cluster.await(() -> !cluster.actor(0).primary().equals(old), 20);
        long changed = cluster.loop.nanos();
        cluster.update(AckLevel.ISR, "a");
        assertThat(cluster.server(old).serving(cluster.key(0))).isFalse();
        assertThat(cluster.loop.nanos() - changed).isGreaterThan(SECOND);
    }

    @Test
    void fullDiskRefusesUpdatesAndHeals() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.primary(0).disk.full(true);
        assertThat(cluster.failure(cluster.send(cluster.nextId(), AckLevel.ISR, "b"))
                        .code())
                .isEqualTo(ErrorCode.DISK_FULL);
        assertThat(cluster.primary(0).serving(cluster.key(0))).isTrue();
        cluster.primary(0).disk.full(false);
        cluster.update(AckLevel.ISR, "c");
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).containsExactly("2=a", "3=c");
    }

    @Test
    void failedSyncIsFatal() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        Host primary = cluster.primary(0);
        primary.disk.failSyncs();
        cluster.send(cluster.nextId(), AckLevel.ISR, "b");
        cluster.loop.run(SECOND);
        assertThat(primary.fatal).hasSize(1);
    }

    @Test
    void failedEngineIsRebuilt() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.primary(0).engine().failApplies(2);
        cluster.update(AckLevel.ISR, "b");
        cluster.update(AckLevel.ISR, "c");
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).containsExactly("2=a", "3=b", "4=c");
        assertThat(cluster.primary(0).engine().builds()).isGreaterThan(1);
    }

    @Test
    void damagedLogLeavesAndComesBackAsLearner() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        for (int i = 0; i < 5; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        ServerId follower = cluster.actor(0).isr().stream()
                .filter(id -> !id.equals(cluster.actor(0).primary()))
                .findFirst()
                .orElseThrow();
        Host host = cluster.server(follower);
        host.kill();
        String segment = host.disk.files(cluster.key(0) + "/log/").get(0);
        host.disk.flip(segment, 30);
        host.start();
        cluster.await(() -> !host.disk.files("quarantine/").isEmpty(), 30);
        cluster.converge(0, 2);
        assertThat(host.engine().rows(cluster.key(0))).hasSize(5);
    }

    @Test
    void expiredSessionRegistersAgain() {
        Cluster cluster = new Cluster(2);
        cluster.create(2, 2, 1, OnLoss.WAIT);
        cluster.server("s1").registry().expire();
        cluster.loop.run(SECOND);
        cluster.converge(0, 2);
        cluster.update(AckLevel.ISR, "a");
        assertThat(cluster.server("s1").machine().routing().orElseThrow().servers())
                .hasSize(2);
    }

    @Test
    void droppedTableIsRemovedFromDisk() {
        Cluster cluster = new Cluster(2);
        cluster.create(2, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        String directory = cluster.key(0).toString();
        cluster.coordinator.onAdmin(new io.uniserve.protocol.message.AdminRequest.DropTable(Cluster.T), outcome -> {});
        cluster.await(
                () -> cluster.servers.values().stream()
                        .allMatch(h -> h.disk.files(directory).isEmpty()),
                30);
    }

    @Test
    void drainMovesThePrimary() {
        Cluster cluster = new Cluster(3);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        ServerId old = cluster.actor(0).primary();
        boolean[] done = {false};
        cluster.server(old).machine().drain(outcome -> done[0] = true);
        cluster.await(() -> done[0], 30);
        assertThat(cluster.actor(0).primary()).isNotEqualTo(old);
        assertThat(cluster.actor(0).isr()).doesNotContain(old);
    }

    /** Tables may have a new name each day, so nothing of dropped tables is watched, or read with each new table. */
    @Test
    void aDroppedTableIsForgotten() {
        Cluster cluster = new Cluster(1);
        String path = RegistryPaths.map(Cluster.T);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.coordinator.onAdmin(new io.uniserve.protocol.message.AdminRequest.DropTable(Cluster.T), outcome -> {});
        cluster.loop.run(10 * Cluster.SECOND);
        TestingRegistry registry = cluster.server("s1").registry();
        assertThat(registry.watches(path)).isFalse();
        assertThat(registry.watches(RegistryPaths.meta(Cluster.T))).isFalse();
        int reads = registry.reads(path);
        cluster.create(new TableName("u"), 1, 1, 1, OnLoss.WAIT, ConsistencyLevel.EVENTUAL);
        assertThat(registry.reads(path)).isEqualTo(reads);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 20);
        assertThat(registry.watches(path)).isTrue();
    }
}
