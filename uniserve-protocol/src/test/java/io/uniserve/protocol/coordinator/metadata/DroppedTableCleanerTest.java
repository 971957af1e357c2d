package io.uniserve.protocol.coordinator.metadata;

import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.AdminRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class DroppedTableCleanerTest {
    private static final TableName T = new TableName("t");
    private static final String RECORD = RegistryPaths.backup(T, new ReplicaKey(1, 0));

    private final TestingCluster cluster = new TestingCluster();

    private void refuse(String server, ErrorCode code) {
        cluster.server(server).eraseRefusal = new UniserveException(code, "cannot be erased here");
    }

    /** Creates a table of one actor with a backup, and drops it. */
    private void drop(Node node) {
        cluster.create(node, TestingCluster.table("t", 1, 1));
        BackupRecord record = new BackupRecord(cluster.key("t", 0), true, 1, 10, "", 0);
        cluster.store.multi("backup", List.of(new Op.Create(RECORD, record, false)));
        cluster.admin(node, new AdminRequest.DropTable(T));
        cluster.loop.run(20 * SECOND);
    }

    @Test
    void theRecordStaysWhereAServerWithStorageCouldNotEraseTheObjects() {
        Node node = cluster.leading(2);
        refuse("s1", ErrorCode.UNAVAILABLE);
        refuse("s2", ErrorCode.UNSUPPORTED);
        drop(node);
        assertThat(cluster.store.value(RECORD)).isNotNull();
        cluster.server("s1").eraseRefusal = null;
        cluster.loop.run(20 * SECOND);
        assertThat(cluster.store.value(RECORD)).isNull();
    }

    @Test
    void theRecordGoesWhereNoServerHasStorage() {
        Node node = cluster.leading(2);
        refuse("s1", ErrorCode.UNSUPPORTED);
        refuse("s2", ErrorCode.UNSUPPORTED);
        drop(node);
        assertThat(cluster.store.value(RECORD)).isNull();
    }

    /** The server hangs or cannot be reached, but its node still exists. */
    @Test
    void aServerThatDoesNotAnswerIsPassedOver() {
        Node node = cluster.leading(2);
        cluster.server("s1").eraseHangs = true;
        drop(node);
        cluster.loop.run(40 * SECOND);
        assertThat(cluster.store.value(RECORD)).isNull();
    }

    @Test
    void aBackupThatCannotBeErasedHoldsUpNoOther() {
        Node node = cluster.leading(1);
        cluster.server("s1").erasesNothingOf = T;
        drop(node);
        cluster.create(node, TestingCluster.table("u", 1, 1));
        TableName other = new TableName("u");
        String path = RegistryPaths.backup(other, cluster.key("u", 0));
        BackupRecord record = new BackupRecord(cluster.key("u", 0), true, 1, 10, "", 0);
        cluster.store.multi("backup", List.of(new Op.Create(path, record, false)));
        cluster.admin(node, new AdminRequest.DropTable(other));
        cluster.loop.run(20 * SECOND);
        assertThat(cluster.store.value(RECORD)).isNotNull();
        assertThat(cluster.store.value(path)).isNull();
        cluster.server("s1").erasesNothingOf = null;
        cluster.loop.run(20 * SECOND);
        assertThat(cluster.store.value(RECORD)).isNull();
    }
}
