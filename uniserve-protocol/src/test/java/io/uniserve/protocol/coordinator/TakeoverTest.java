package io.uniserve.protocol.coordinator;

import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ActorState;
import io.uniserve.model.OnLoss;
import io.uniserve.model.PreviousIsr;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Takeovers from durable storage that fail, and former in-sync replicas that return meanwhile. */
class TakeoverTest {
    private final TestingCluster cluster = new TestingCluster();

    /** A table that has started, with a complete backup. */
    private ActorState begun(Node node, int rf) {
        cluster.create(node, TestingCluster.onLoss(TestingCluster.table("t", 1, rf), OnLoss.WAIT));
        ActorState actor = cluster.actor("t", 0);
        cluster.peer(node, new PeerRequest.EpochStarted(cluster.key("t", 0), 1, actor.primary()));
        cluster.loop.run(SECOND);
        BackupRecord record = new BackupRecord(cluster.key("t", 0), true, 1, 10, "", 0);
        cluster.store.multi(
                "backup",
                List.of(new Op.Create(RegistryPaths.backup(new TableName("t"), record.key()), record, false)));
        assertThat(cluster.actor("t", 0).epochStarted()).isTrue();
        return cluster.actor("t", 0);
    }

    private void fails(Node node) {
        ActorState actor = cluster.actor("t", 0);
        unfit(node, actor.primary(), "restore from durable storage failed", true);
    }

    private void unfit(Node node, ServerId server, String why, boolean lost) {
        cluster.peer(
                node,
                new PeerRequest.ReportUnhealthy(
                        cluster.key("t", 0), cluster.actor("t", 0).epoch(), server, why, lost));
    }

    private ActorState lost(Node node, int rf) {
        ActorState before = begun(node, rf);
        before.isr().forEach(id -> cluster.server(id.value()).kill());
        cluster.loop.run(25 * SECOND);
        assertThat(cluster.actor("t", 0).epochStarted()).isFalse();
        assertThat(cluster.actor("t", 0).previousIsr()).isEqualTo(new PreviousIsr(before.isr(), before.epoch(), 0));
        return before;
    }

    private void comeBack(ServerId id, long installed) {
        TestingServer server = cluster.server(id.value());
        server.installed = installed;
        server.start();
    }

    @Test
    void takeoversThatFailBecomeRareButNeverEnd() {
        Node node = cluster.leading(3);
        lost(node, 1);
        List<Long> times = new ArrayList<>();
        long epoch = cluster.actor("t", 0).epoch();
        for (int i = 0; i < 2 * 1_800; i++) {
            fails(node);
            cluster.loop.run(SECOND / 2);
            if (cluster.actor("t", 0).epoch() > epoch) {
                assertThat(cluster.actor("t", 0).epoch()).isEqualTo(++epoch);
                times.add(cluster.loop.nanos() / SECOND);
            }
        }
        assertThat(times).hasSizeBetween(9, 12);
        for (int i = 1; i < times.size(); i++) {
            assertThat(times.get(i) - times.get(i - 1)).isBetween(19L, 310L);
        }
        assertThat(times.get(times.size() - 1) - times.get(times.size() - 2)).isGreaterThan(290);
        ActorState last = cluster.actor("t", 0);
        cluster.peer(node, new PeerRequest.EpochStarted(cluster.key("t", 0), last.epoch(), last.primary()));
        cluster.loop.run(SECOND);
        assertThat(cluster.actor("t", 0).epochStarted())
                .as("%s", cluster.actor("t", 0))
                .isTrue();
        assertThat(cluster.actor("t", 0).previousIsr()).isEqualTo(PreviousIsr.NONE);
    }

    @Test
    void aWholeFormerReplicaThatReturnsIsPreferred() {
        Node node = cluster.leading(3);
        ActorState before = lost(node, 1);
        fails(node);
        comeBack(before.primary(), before.epoch());
        cluster.loop.run(2 * SECOND);
        ActorState after = cluster.actor("t", 0);
        assertThat(after.primary()).isEqualTo(before.primary());
        assertThat(after.isr()).isEqualTo(before.isr());
        assertThat(after.epochStarted()).isTrue();
        assertThat(after.restoreEpoch()).isEqualTo(before.restoreEpoch());
        assertThat(after.epoch()).isEqualTo(3);
        assertThat(after.previousIsr()).isEqualTo(PreviousIsr.NONE);
    }

    @Test
    void oneOfTwoFormerReplicasIsEnough() {
        Node node = cluster.leading(4);
        ActorState before = lost(node, 2);
        ServerId second = before.isr().get(1);
        comeBack(second, before.epoch());
        cluster.loop.run(3 * SECOND);
        ActorState after = cluster.actor("t", 0);
        assertThat(after.primary()).isEqualTo(second);
        assertThat(after.epochStarted()).isTrue();
        assertThat(after.learners()).doesNotContain(second);
    }

    @Test
    void damagedAndRestoredReplicasDoNotCountAsFormerOnes() {
        Node node = cluster.leading(3);
        ActorState before = lost(node, 1);
        cluster.server(before.primary().value()).damaged = true;
        comeBack(before.primary(), before.epoch());
        cluster.loop.run(10 * SECOND);
        assertThat(cluster.actor("t", 0).epochStarted()).isFalse();
        cluster.server(before.primary().value()).damaged = false;
        for (long wrong : List.of(0L, before.epoch() + 1)) {
            cluster.server(before.primary().value()).kill();
            comeBack(before.primary(), wrong);
            cluster.loop.run(10 * SECOND);
            assertThat(cluster.actor("t", 0).epochStarted()).isFalse();
        }
    }

    @Test
    void aTakeoverThatHasBegunStays() {
        Node node = cluster.leading(3);
        ActorState before = lost(node, 1);
        ActorState taken = cluster.actor("t", 0);
        cluster.peer(node, new PeerRequest.EpochStarted(cluster.key("t", 0), taken.epoch(), taken.primary()));
        cluster.loop.run(SECOND);
        comeBack(before.primary(), before.epoch());
        cluster.loop.run(10 * SECOND);
        assertThat(cluster.actor("t", 0).primary()).isEqualTo(taken.primary());
        assertThat(cluster.actor("t", 0).restoreEpoch()).isEqualTo(taken.epoch());
    }

    @Test
    void aReplicaTakenOverForItsDefectsReturnsOnlyWhenTheTakeoverFails() {
        Node node = cluster.leading(3);
        ActorState before = begun(node, 1);
        cluster.server(before.primary().value()).installed = before.epoch();
        for (int i = 0; i < 60 && cluster.actor("t", 0).epochStarted(); i++) {
            unfit(node, before.primary(), "an old log entry does not check", false);
            cluster.loop.run(SECOND / 2);
        }
        ActorState taken = cluster.actor("t", 0);
        assertThat(taken.primary()).isNotEqualTo(before.primary());
        cluster.loop.run(10 * SECOND);
        assertThat(cluster.actor("t", 0)).isEqualTo(taken);
        fails(node);
        cluster.loop.run(2 * SECOND);
        assertThat(cluster.actor("t", 0).primary()).isEqualTo(before.primary());
        // It is still unfit: the time until the next takeover grows each time.
        long epoch = cluster.actor("t", 0).epoch();
        for (int i = 0; i < 2 * 3_600; i++) {
            ActorState actor = cluster.actor("t", 0);
            unfit(node, actor.primary(), "still", !actor.epochStarted());
            cluster.loop.run(SECOND / 2);
        }
        assertThat(cluster.actor("t", 0).epoch() - epoch).isBetween(20L, 45L);
    }
}
