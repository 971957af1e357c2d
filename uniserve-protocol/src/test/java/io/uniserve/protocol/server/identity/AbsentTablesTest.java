package io.uniserve.protocol.server.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashReport;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.TrashCall;
import io.uniserve.protocol.server.Host;
import io.uniserve.protocol.server.config.Cluster;
import io.uniserve.protocol.server.config.TrashConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A replica is never deleted because its table is absent from the registry; only the tombstone proves the drop. */
class AbsentTablesTest {
    private static final long SECOND = Cluster.SECOND;
    private static final TableName OTHER = new TableName("other");

    /** Two servers, each with a replica of every actor of one or two tables. */
    private static Cluster filled(boolean two) {
        Cluster cluster = new Cluster(2);
        cluster.create(2, 2, 1, OnLoss.WAIT);
        if (two) {
            cluster.create(OTHER, 1, 2, 1, OnLoss.WAIT, ConsistencyLevel.EVENTUAL);
        }
        for (int i = 0; i < 5; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        cluster.converge(0, 2);
        cluster.loop.run(5 * SECOND);
        return cluster;
    }

    /** The registry's nodes of a table. */
    private record Lost(TableName name, RegistryValue meta, RegistryValue map) {}

    /** The registry loses the table without a record of a drop. */
    private static Lost lose(Cluster cluster, TableName name) {
        String meta = RegistryPaths.meta(name);
        String map = RegistryPaths.map(name);
        Lost lost = new Lost(
                name,
                Objects.requireNonNull(cluster.store.value(meta)),
                Objects.requireNonNull(cluster.store.value(map)));
        cluster.store.multi(
                lost,
                List.of(
                        new Op.Delete(map, cluster.store.read(map).version()),
                        new Op.Delete(meta, cluster.store.read(meta).version())));
        return lost;
    }

    private static void find(Cluster cluster, Lost lost) {
        cluster.store.multi(
                lost,
                List.of(
                        new Op.Create(RegistryPaths.meta(lost.name()), lost.meta(), false),
                        new Op.Create(RegistryPaths.map(lost.name()), lost.map(), false)));
    }

    private static void drop(Cluster cluster, TableName name) {
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.DropTable(name), outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 20);
        assertThat(outcome.get(0)).isInstanceOf(Outcome.Ok.class);
    }

    private static TreeMap<String, List<Byte>> contents(Host host, String prefix) {
        TreeMap<String, List<Byte>> contents = new TreeMap<>();
        for (String file : host.disk.files(prefix)) {
            List<Byte> bytes = new ArrayList<>();
            for (byte one : host.disk.bytes(file)) {
                bytes.add(one);
            }
            contents.put(file, bytes);
        }
        return contents;
    }

    private static Outcome<PeerReply> ask(Cluster cluster, Host host, PeerRequest request) {
        List<Outcome<PeerReply>> outcome = new ArrayList<>();
        host.machine().onPeer(request, outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 20);
        return outcome.get(0);
    }

    private static TrashReport trash(Cluster cluster, Host host) {
        return ask(cluster, host, new PeerRequest.Trash(TrashCall.list())) instanceof Outcome.Ok<PeerReply> ok
                        && ok.value() instanceof PeerReply.Trashed trashed
                ? trashed.report()
                : new TrashReport(List.of(), List.of(), -1);
    }

    private static @Nullable ErrorCode refused(Cluster cluster, Host host, PeerRequest request) {
        return ask(cluster, host, request) instanceof Outcome.Err<PeerReply> err
                ? err.error().code()
                : null;
    }

    @Test
    void replicasOfAnAbsentTableGoToTheTrashAndComeBackWithIt() {
        Cluster cluster = filled(true);
        ReplicaKey key = cluster.key(0);
        List<String> rows = List.copyOf(cluster.primary(0).engine().rows(key));
        Lost lost = lose(cluster, Cluster.T);
        cluster.loop.run(20 * SECOND);
        for (Host host : cluster.servers.values()) {
            assertThat(host.disk.files(key + "/")).isEmpty();
            assertThat(trash(cluster, host).heldReplicas()).isEmpty();
            assertThat(trash(cluster, host).entries()).hasSize(2).allSatisfy(entry -> {
                assertThat(entry.table()).isEqualTo("t");
                assertThat(entry.bytes()).isPositive();
                assertThat(entry.epoch()).isPositive();
                assertThat(entry.reason()).contains("number " + key.tableId(), "tombstone");
                assertThat(host.disk.files("trash/" + entry.id() + "/"))
                        .contains("trash/" + entry.id() + "/about", "trash/" + entry.id() + "/replica/state");
                assertThat(refused(
                                cluster,
                                host,
                                new PeerRequest.Trash(new TrashCall(TrashCall.Action.RESTORE, entry.id()))))
                        .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
            });
            assertThat(host.machine().missingConditions()).isEmpty();
        }
        find(cluster, lost);
        cluster.converge(0, 2);
        cluster.converge(1, 2);
        for (Host host : cluster.servers.values()) {
            assertThat(host.engine().rows(key)).isEqualTo(rows);
            assertThat(trash(cluster, host).entries()).isEmpty();
            assertThat(host.disk.files("quarantine/")).isEmpty();
        }
        cluster.update(AckLevel.ISR, "more");
        cluster.loop.run(SECOND);
        assertThat(cluster.servers.values())
                .allSatisfy(host -> assertThat(host.disk.files("trash/")).isEmpty());
    }

    @Test
    void trashOutlivesTheServer() {
        Cluster cluster = filled(true);
        ReplicaKey key = cluster.key(0);
        List<String> rows = List.copyOf(cluster.primary(0).engine().rows(key));
        Lost lost = lose(cluster, Cluster.T);
        cluster.loop.run(20 * SECOND);
        for (Host host : cluster.servers.values()) {
            List<String> ids = trash(cluster, host).entries().stream()
                    .map(entry -> entry.id() + entry.table() + entry.epoch() + entry.bytes() + entry.reason())
                    .toList();
            host.kill();
            cluster.loop.run(SECOND);
            host.start();
            cluster.loop.run(5 * SECOND);
            assertThat(trash(cluster, host).entries())
                    .extracting(entry -> entry.id() + entry.table() + entry.epoch() + entry.bytes() + entry.reason())
                    .isEqualTo(ids);
        }
        find(cluster, lost);
        cluster.converge(0, 2);
        assertThat(cluster.primary(0).engine().rows(key)).isEqualTo(rows);
    }

    @Test
    void replicasThatAreAllOfAbsentTablesStay() {
        Cluster cluster = filled(false);
        Host host = cluster.server("s1");
        TreeMap<String, List<Byte>> before = contents(host, "t");
        assertThat(before).isNotEmpty();
        Lost lost = lose(cluster, Cluster.T);
        cluster.loop.run(30 * SECOND);
        assertThat(contents(host, "t")).isEqualTo(before);
        assertThat(host.machine().missingConditions())
                .anyMatch(text -> text.contains("does not know the tables of its 2 replicas"));
        assertThat(trash(cluster, host).heldReplicas()).hasSize(2);
        // a table that is created later proves nothing about the registry
        cluster.create(OTHER, 1, 2, 1, OnLoss.WAIT, ConsistencyLevel.EVENTUAL);
        cluster.loop.run(30 * SECOND);
        assertThat(contents(host, "t")).containsAllEntriesOf(before);
        assertThat(host.disk.files("trash/")).isEmpty();
        find(cluster, lost);
        cluster.converge(0, 2);
        cluster.await(() -> host.machine().missingConditions().isEmpty(), 30);
        assertThat(trash(cluster, host).heldReplicas()).isEmpty();
    }

    @Test
    void guardComparesWithWhatWasThereBefore() {
        ReplicaKey a = new ReplicaKey(1, 0);
        ReplicaKey b = new ReplicaKey(2, 0);
        ReplicaKey later = new ReplicaKey(3, 0);
        RegistryDataLossGuard guard = new RegistryDataLossGuard(false);
        guard.setOnDisk(List.of(a, b));
        assertThat(guard.mayTrash(List.of(a, b), List.of(a))).isTrue();
        assertThat(guard.mayTrash(List.of(b, later), List.of(b)))
                .as("one after the other is all, too")
                .isFalse();
        assertThat(guard.heldReplicas()).containsExactly(b);
        assertThat(guard.mayTrash(List.of(b, later), List.of())).isTrue();
        assertThat(guard.heldReplicas()).isEmpty();
        RegistryDataLossGuard fresh = new RegistryDataLossGuard(false);
        assertThat(fresh.mayTrash(List.of(a), List.of(a))).isFalse();
        assertThat(fresh.mayTrash(List.of(a, b), List.of(a))).isTrue();
        assertThat(new RegistryDataLossGuard(true).mayTrash(List.of(a), List.of(a)))
                .isTrue();
    }

    @Test
    void serverNoneOfWhoseReplicasIsKnownDoesNotStart() {
        Cluster cluster = filled(false);
        ReplicaKey key = cluster.key(0);
        Host host = cluster.server("s1");
        host.kill();
        Lost lost = lose(cluster, Cluster.T);
        cluster.loop.run(SECOND);
        TreeMap<String, List<Byte>> before = contents(host, "");
        host.start();
        cluster.loop.run(30 * SECOND);
        assertThat(host.fatal)
                .singleElement()
                .satisfies(error -> assertThat(error)
                        .startsWith("WRONG_CLUSTER")
                        .contains("2 replicas", "cluster test", "of table t", "server.trash-all-unknown"));
        assertThat(contents(host, "")).isEqualTo(before);
        assertThat(cluster.store.value(RegistryPaths.server(new io.uniserve.model.ServerId("s1"))))
                .isNull();
        host.kill();
        find(cluster, lost);
        host.start();
        cluster.await(() -> host.machine().hasReplica(key), 30);
        cluster.loop.run(10 * SECOND);
        assertThat(host.fatal).hasSize(1);
        assertThat(contents(host, "t"))
                .containsKeys(before.keySet().stream()
                        .filter(file -> file.startsWith("t"))
                        .toArray(String[]::new));
    }

    @Test
    void anotherTableOfTheSameNumberIsNotTheReplicas() {
        Cluster cluster = filled(false);
        Host host = cluster.server("s1");
        host.kill();
        cluster.loop.run(SECOND);
        Lost lost = lose(cluster, Cluster.T);
        TableMeta meta = (TableMeta) lost.meta();
        TableMap map = (TableMap) lost.map();
        find(
                cluster,
                new Lost(
                        OTHER,
                        meta.withNameAndId(OTHER, meta.tableId()),
                        new TableMap(OTHER, map.tableId(), map.actors())));
        TreeMap<String, List<Byte>> before = contents(host, "");
        host.start();
        cluster.loop.run(10 * SECOND);
        assertThat(host.fatal)
                .singleElement()
                .satisfies(error ->
                        assertThat(error).contains("of table t (the registry's table of that number is other)"));
        assertThat(contents(host, "")).isEqualTo(before);
    }

    @Test
    void operatorMayGiveAllReplicasUp() {
        Cluster cluster = filled(false);
        Host host = cluster.server("s1");
        host.kill();
        cluster.loop.run(SECOND);
        Lost lost = lose(cluster, Cluster.T);
        cluster.trash = new TrashConfig(3_600_000, Long.MAX_VALUE, 1_000, "the registry", true);
        host.start();
        cluster.loop.run(20 * SECOND);
        assertThat(host.fatal).isEmpty();
        assertThat(host.disk.files("t" + ((TableMap) lost.map()).tableId())).isEmpty();
        assertThat(trash(cluster, host).entries()).hasSize(2);
        String first = trash(cluster, host).entries().get(0).id();
        assertThat(ask(cluster, host, new PeerRequest.Trash(new TrashCall(TrashCall.Action.PURGE, first))))
                .isInstanceOf(Outcome.Ok.class);
        assertThat(trash(cluster, host).entries()).hasSize(1);
        assertThat(refused(cluster, host, new PeerRequest.Trash(new TrashCall(TrashCall.Action.PURGE, first))))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(host.disk.files("trash/" + first)).isEmpty();
        assertThat(host.disk.files("purged/")).isEmpty();
    }

    @Test
    void dropIsProvenByItsTombstone() {
        Cluster cluster = filled(true);
        ReplicaKey key = cluster.key(0);
        Host away = cluster.server("s2");
        away.kill();
        cluster.loop.run(SECOND);
        drop(cluster, Cluster.T);
        drop(cluster, OTHER);
        away.start();
        cluster.await(
                () -> cluster.servers.values().stream()
                        .allMatch(host ->
                                host.disk.files("t" + key.tableId() + "-").isEmpty()),
                30);
        assertThat(away.fatal).isEmpty();
        assertThat(cluster.servers.values())
                .allSatisfy(host -> assertThat(host.disk.files("trash/")).isEmpty());
    }

    @Test
    void backupOfAnAbsentTableIsNotErased() {
        Cluster cluster = filled(true);
        ReplicaKey key = cluster.key(0);
        cluster.await(() -> !cluster.objects.keys("backup/test/").isEmpty(), 60);
        Lost lost = lose(cluster, Cluster.T);
        cluster.loop.run(20 * SECOND);
        List<String> objects = cluster.objects.keys("backup/test/" + key.tableId() + "/");
        assertThat(objects).isNotEmpty();
        assertThat(refused(cluster, cluster.server("s1"), new PeerRequest.EraseBackup(Cluster.T, key)))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(cluster.objects.keys("backup/test/" + key.tableId() + "/")).isEqualTo(objects);
        find(cluster, lost);
        cluster.converge(0, 2);
        drop(cluster, Cluster.T);
        cluster.await(
                () -> cluster.objects.keys("backup/test/" + key.tableId() + "/").isEmpty(), 60);
    }
}
