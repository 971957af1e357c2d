package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.protocol.server.config.Cluster;
import org.junit.jupiter.api.Test;

/** Publication of applied updates that no reader has requested. */
class PublishTest {
    private static final long SECOND = Cluster.SECOND;

    @Test
    void aLoadThatNobodyReadsIsPublishedOnceItRests() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        Host server = cluster.primary(0);
        for (int i = 0; i < 50; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        assertThat(server.engine().publishes()).isLessThan(5);
        cluster.loop.run(3 * SECOND);
        int rested = server.engine().publishes();
        assertThat(rested).isBetween(1, 6);
        cluster.loop.run(60 * SECOND);
        assertThat(server.engine().publishes()).isEqualTo(rested);
        cluster.update(AckLevel.ISR, "more");
        cluster.loop.run(3 * SECOND);
        assertThat(server.engine().publishes()).isEqualTo(rested + 1);
    }

    @Test
    void acknowledgedIsWhatIsAppliedThoughNotPublished() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        long index = cluster.update(AckLevel.ISR, "a");
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).containsExactly(index + "=a");
        cluster.converge(0, 2);
    }

    @Test
    void whatNoEngineCanPublishLeavesNoReaderAndIsTriedAgain() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.update(AckLevel.ISR, "unseen");
        Host server = cluster.primary(0);
        cluster.loop.run(5 * SECOND);
        assertThat(server.serving(cluster.key(0))).isFalse();
        cluster.loop.run(600 * SECOND);
        assertThat(server.serving(cluster.key(0))).isFalse();
        assertThat(server.engine().builds()).isLessThan(200);
        assertThat(server.fatal).isEmpty();
        server.engine().mend();
        cluster.await(() -> server.serving(cluster.key(0)), 60);
        assertThat(server.engine().rows(cluster.key(0))).hasSize(2).anyMatch(row -> row.endsWith("=unseen"));
    }

    @Test
    void anActorLostForItsReadersIsBuiltAnew() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        Host server = cluster.primary(0);
        int builds = server.engine().builds();
        server.engine().lose(cluster.key(0));
        cluster.await(() -> server.engine().builds() > builds && server.serving(cluster.key(0)), 20);
        assertThat(server.engine().rows(cluster.key(0))).hasSize(1);
        cluster.update(AckLevel.ISR, "b");
    }
}
