package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Updates with a condition on the actor's state: no other update comes between the check and the log. */
class ConditionalUpdatesTest {
    private static Cluster cluster(int rf) {
        Cluster cluster = new Cluster(3);
        cluster.create(1, rf, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        return cluster;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void ofManyUpdatesWithOneConditionOneIsTaken(int rf) {
        Cluster cluster = cluster(rf);
        List<List<Outcome<UpdateReply>>> sent = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            sent.add(cluster.send(cluster.nextId(), AckLevel.ISR, "if 1 b" + i));
        }
        assertThat(cluster.ack(sent.get(0)).index()).isEqualTo(3);
        for (List<Outcome<UpdateReply>> late : sent.subList(1, sent.size())) {
            assertThat(cluster.failure(late).code()).isEqualTo(ErrorCode.CONFLICT);
        }
        cluster.converge(0, rf);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).containsExactly("2=a", "3=if 1 b0");
    }

    @Test
    void othersWaitBehindTheCheckAndThenGoOn() {
        Cluster cluster = cluster(2);
        List<List<Outcome<UpdateReply>>> sent = new ArrayList<>();
        sent.add(cluster.send(cluster.nextId(), AckLevel.PRIMARY, "b"));
        sent.add(cluster.send(cluster.nextId(), AckLevel.PRIMARY, "if 1 c"));
        sent.add(cluster.send(cluster.nextId(), AckLevel.PRIMARY, "d"));
        sent.add(cluster.send(cluster.nextId(), AckLevel.PRIMARY, "if 1 e"));
        assertThat(cluster.ack(sent.get(0)).index()).isEqualTo(3);
        assertThat(cluster.failure(sent.get(1)).code())
                .as("b came between the first check and the log")
                .isEqualTo(ErrorCode.CONFLICT);
        assertThat(cluster.ack(sent.get(2)).index()).isEqualTo(4);
        assertThat(cluster.failure(sent.get(3)).code()).isEqualTo(ErrorCode.CONFLICT);
        assertThat(cluster.update(AckLevel.ISR, "if 3 f")).isEqualTo(5);
        cluster.converge(0, 2);
    }

    /** The first check may use a state older than the last acknowledged one. The check with the whole log applied counts. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aConditionOnWhatWasAcknowledgedHoldsAtOnce(int rf) {
        Cluster cluster = cluster(rf);
        for (int i = 0; i < 5; i++) {
            cluster.update(AckLevel.PRIMARY, "b" + i);
            long rows = 2 + 2L * i;
            assertThat(cluster.update(AckLevel.PRIMARY, "if " + rows + " c" + i))
                    .isEqualTo(rows + 2);
        }
        cluster.converge(0, rf);
    }

    @Test
    void aRetryOfWhatWasTakenIsAcknowledgedThoughTheConditionHoldsNoLonger() {
        Cluster cluster = cluster(2);
        RequestId id = cluster.nextId();
        UpdateReply.ActorAck ack = cluster.ack(cluster.send(id, AckLevel.ISR, "if 1 b"));
        UpdateReply.ActorAck again = cluster.ack(cluster.send(id, AckLevel.ISR, "if 1 b"));
        assertThat(again.index()).isEqualTo(ack.index());
        assertThat(again.duplicate()).isTrue();
        assertThat(cluster.failure(cluster.send(cluster.nextId(), AckLevel.ISR, "if 1 b"))
                        .code())
                .isEqualTo(ErrorCode.CONFLICT);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 20, 30, 50, 100, 200, 400})
    void aPrimaryThatDiesMeanwhileHoldsNothingUp(int micros) {
        Cluster cluster = cluster(2);
        ServerId before = cluster.actor(0).primary();
        cluster.send(cluster.nextId(), AckLevel.ISR, "b");
        cluster.send(cluster.nextId(), AckLevel.ISR, "if 1 c");
        cluster.send(cluster.nextId(), AckLevel.ISR, "if 2 d");
        cluster.loop.run(1_000L * micros);
        Host old = cluster.primary(0);
        old.kill();
        cluster.await(() -> !cluster.actor(0).primary().equals(before), 60);
        old.start();
        cluster.update(AckLevel.ISR, "e");
        int held = cluster.primary(0).engine().rows(cluster.key(0)).size();
        cluster.update(AckLevel.ISR, "if " + held + " f");
        cluster.converge(0, 2);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).hasSize(held + 1);
    }
}
