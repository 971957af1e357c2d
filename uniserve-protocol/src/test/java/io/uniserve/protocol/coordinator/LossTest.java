package io.uniserve.protocol.coordinator;

import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ActorState;
import io.uniserve.model.Durability;
import io.uniserve.model.Fencing;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class LossTest {
    private final TestingCluster cluster = new TestingCluster();

    private void backup(ReplicaKey key, boolean clean) {
        BackupRecord record = new BackupRecord(key, clean, 1, 10, "", 0);
        cluster.store.multi(
                "backup", List.of(new Op.Create(RegistryPaths.backup(new TableName("t"), key), record, false)));
    }

    private ActorState lose(Node node, OnLoss onLoss, boolean clean) {
        cluster.create(node, TestingCluster.onLoss(TestingCluster.table("t", 1, 1), onLoss));
        backup(cluster.key("t", 0), clean);
        ActorState before = cluster.actor("t", 0);
        cluster.server(before.primary().value()).kill();
        return before;
    }

    @Test
    void aCompleteBackupIsTakenOverAfterTheGrace() {
        ActorState before = lose(cluster.leading(2), OnLoss.WAIT, true);
        cluster.loop.run(18 * SECOND);
        assertThat(cluster.actor("t", 0)).isEqualTo(before);
        cluster.loop.run(3 * SECOND);
        ActorState after = cluster.actor("t", 0);
        assertThat(after.primary()).isNotEqualTo(before.primary());
        assertThat(after.isr()).containsExactly(after.primary());
        assertThat(after.epoch()).isEqualTo(2);
        assertThat(after.restoreEpoch()).isEqualTo(2);
        assertThat(after.fencing()).containsExactly(new Fencing(before.primary(), 2));
    }

    @Test
    void anIncompleteBackupIsNotTouchedWhenTheTableWaits() {
        ActorState before = lose(cluster.leading(2), OnLoss.WAIT, false);
        cluster.loop.run(120 * SECOND);
        assertThat(cluster.actor("t", 0)).isEqualTo(before);
        cluster.server(before.primary().value()).start();
        cluster.loop.run(SECOND);
        assertThat(cluster.actor("t", 0)).isEqualTo(before);
    }

    @Test
    void restoreActorTakesWhatThereIs() {
        ActorState before = lose(cluster.leading(2), OnLoss.RESTORE_ACTOR, false);
        cluster.loop.run(25 * SECOND);
        assertThat(cluster.actor("t", 0).restoreEpoch()).isEqualTo(2);
        ServerId old = before.primary();
        cluster.server(old.value()).start();
        cluster.loop.run(5 * SECOND);
        assertThat(cluster.actor("t", 0).hasReplicaOn(old))
                .as("the old copy counts for nothing")
                .isFalse();
    }

    @Test
    void whatIsAcknowledgedOnlyWithStorageIsTakenOverOnceItIsLostForGood() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 1, 1).with(Durability.REMOTE));
        backup(cluster.key("t", 0), false);
        ActorState before = cluster.actor("t", 0);
        cluster.server(before.primary().value()).kill();
        cluster.loop.run(10 * SECOND);
        assertThat(cluster.actor("t", 0)).as("its server may come back").isEqualTo(before);
        cluster.loop.run(20 * SECOND);
        assertThat(cluster.actor("t", 0).primary()).isNotEqualTo(before.primary());
        assertThat(cluster.actor("t", 0).restoreEpoch()).isEqualTo(2);
    }

    @Test
    void whatWasAcknowledgedOnlyWithStorageGoesOnEmptyWhereStorageHasNothing() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 1, 1).with(Durability.REMOTE));
        ActorState before = cluster.actor("t", 0);
        cluster.server(before.primary().value()).kill();
        cluster.loop.run(30 * SECOND);
        assertThat(cluster.actor("t", 0).primary()).isNotEqualTo(before.primary());
        assertThat(cluster.actor("t", 0).restoreEpoch()).isEqualTo(2);
        assertThat(cluster.store.value(RegistryPaths.backup(new TableName("t"), cluster.key("t", 0))))
                .as("no deposed primary makes it now")
                .isEqualTo(new BackupRecord(cluster.key("t", 0), false, 1, 0, "", 0));
    }

    @Test
    void theBackupOfADroppedTableOfTheSameNameIsNotUsed() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 1, 1));
        backup(new ReplicaKey(99, 0), true);
        ActorState before = cluster.actor("t", 0);
        cluster.server(before.primary().value()).kill();
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.actor("t", 0)).isEqualTo(before);
    }

    @Test
    void aServerThatOnlyFailsPingsIsNotTakenOver() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 1, 1));
        backup(cluster.key("t", 0), true);
        ActorState before = cluster.actor("t", 0);
        cluster.server(before.primary().value()).hang();
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.actor("t", 0)).isEqualTo(before);
    }

    @Test
    void aLostActorWaitsForAServerThatCanTakeIt() {
        ActorState before = lose(cluster.leading(1), OnLoss.WAIT, true);
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.actor("t", 0)).isEqualTo(before);
        cluster.server("s2").start();
        cluster.loop.run(6 * SECOND);
        assertThat(cluster.actor("t", 0).primary()).isEqualTo(TestingCluster.id("s2"));
    }

    @Test
    void aReplicaThatMendsByItselfIsNotTakenOver() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.onLoss(TestingCluster.table("t", 1, 1), OnLoss.RESTORE_ACTOR));
        backup(cluster.key("t", 0), true);
        ActorState before = cluster.actor("t", 0);
        cluster.peer(
                node, new PeerRequest.ReportUnhealthy(cluster.key("t", 0), 1, before.primary(), "engine failed", true));
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.actor("t", 0)).isEqualTo(before);
    }

    @Test
    void aLastReplicaThatStaysUnfitIsTakenOver() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 1, 1));
        backup(cluster.key("t", 0), true);
        ActorState before = cluster.actor("t", 0);
        for (int i = 0; i < 60; i++) {
            cluster.peer(
                    node, new PeerRequest.ReportUnhealthy(cluster.key("t", 0), 1, before.primary(), "bad log", true));
            cluster.loop.run(SECOND / 2);
        }
        assertThat(cluster.actor("t", 0).primary()).isNotEqualTo(before.primary());
    }

    @Test
    void anActorWithoutAnyBackupIsNeverStartedEmpty() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.onLoss(TestingCluster.table("t", 1, 1), OnLoss.RESTORE_ACTOR));
        ActorState before = cluster.actor("t", 0);
        cluster.server(before.primary().value()).kill();
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.actor("t", 0)).isEqualTo(before);
    }
}
