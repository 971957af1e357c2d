package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.BackupName;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Backups of an atomic table are of one version, under any load. */
class AtomicBackupTest {
    private static final BackupName B = new BackupName("b");
    private static final TableName COPY = new TableName("copy");

    private static List<Outcome<AdminReply>> ask(Cluster cluster, AdminRequest request) {
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(request, outcome::add);
        return outcome;
    }

    private static void done(Cluster cluster, AdminRequest request) {
        List<Outcome<AdminReply>> outcome = ask(cluster, request);
        cluster.await(() -> !outcome.isEmpty(), 120);
        assertThat(outcome.get(0)).as("%s", outcome.get(0)).isInstanceOf(Outcome.Ok.class);
    }

    private static TableMap map(Cluster cluster) {
        return (TableMap) Objects.requireNonNull(cluster.store.value(RegistryPaths.map(COPY)));
    }

    private static List<String> rows(Cluster cluster, int actor) {
        TableMap map = map(cluster);
        ReplicaKey key = new ReplicaKey(map.tableId(), actor);
        Host primary = cluster.server(map.actors().get(actor).primary());
        cluster.await(() -> primary.serving(key), 20);
        return List.copyOf(primary.engine().rows(key));
    }

    private static List<String> texts(List<String> rows) {
        return rows.stream().map(row -> row.substring(row.indexOf('=') + 1)).toList();
    }

    @ParameterizedTest
    @EnumSource(names = {"SERIALIZABLE", "FULLY_SERIALIZABLE"})
    void allActorsAreRestoredAtOneVersion(ConsistencyLevel level) {
        AtomicCluster atomic = new AtomicCluster(3, 3, 2, level);
        Cluster cluster = atomic.cluster;
        atomic.update(atomic.primary(0), AtomicCluster.rows("r0", 0, 1, 2));
        List<Outcome<AdminReply>> taken = ask(cluster, new AdminRequest.BackupTable(Cluster.T, B));
        int sent = 0;
        while (taken.isEmpty() || sent < 30) { // updates continue while the parts are pinned
            RequestId id = cluster.nextId();
            List<Outcome<UpdateReply>> now =
                    atomic.send(atomic.primary(sent % 3), id, 1, AtomicCluster.rows("r" + ++sent, 0, 1, 2));
            cluster.await(() -> !now.isEmpty(), 60);
            assertThat(sent).isLessThan(5_000);
        }
        assertThat(taken.get(0)).as("%s", taken.get(0)).isInstanceOf(Outcome.Ok.class);
        done(cluster, new AdminRequest.VerifyBackup(B));
        done(cluster, new AdminRequest.RestoreTable(B, COPY));
        List<String> whole = texts(rows(cluster, 0));
        assertThat(whole).isNotEmpty().startsWith("r0");
        for (int actor = 1; actor < 3; actor++) {
            assertThat(texts(rows(cluster, actor))).isEqualTo(whole);
        }
        TransactionLogState log =
                (TransactionLogState) Objects.requireNonNull(cluster.store.value(cluster.logPath(COPY)));
        assertThat(log.committedVersion()).isEqualTo(whole.size());
        TableMap map = map(cluster);
        long after = atomic.version(atomic.send(
                COPY,
                map.tableId(),
                cluster.server(map.actors().get(0).primary()),
                cluster.nextId(),
                1,
                AtomicCluster.rows("after", 0, 1, 2)));
        assertThat(after).isGreaterThan(log.committedVersion());
        for (int actor = 0; actor < 3; actor++) {
            int which = actor;
            cluster.await(() -> texts(rows(cluster, which)).contains("after"), 20);
        }
    }
}
