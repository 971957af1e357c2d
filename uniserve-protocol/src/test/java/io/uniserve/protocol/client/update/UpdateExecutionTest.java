package io.uniserve.protocol.client.update;

import static io.uniserve.protocol.client.routing.TestingWorld.MS;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE_ID;
import static io.uniserve.protocol.client.routing.TestingWorld.actor;
import static io.uniserve.protocol.client.update.TestingClientNetwork.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.protocol.client.routing.TestingWorld;
import io.uniserve.protocol.client.update.TestingClientNetwork.Write;
import io.uniserve.protocol.client.update.Update.ActorBatch;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class UpdateExecutionTest {
    private final TestingWorld world = new TestingWorld();
    private final RequestTracker tracker = new RequestTracker(() -> 5);
    private final List<Outcome<UpdateResult>> outcomes = new ArrayList<>();

    @Test
    void rowsGoToThePrimariesOneRequestAServer() {
        world.route(2, actor(0, 1, 1, 2), actor(1, 3, 2, 1), actor(2, 1, 1, 2));
        update(0, 1, 2);
        assertThat(world.network.writes).extracting(Write::actors).containsExactly(List.of(0, 2), List.of(1));
        assertThat(world.network.lastWrite().request().actors().get(0).epoch()).isEqualTo(3);
        world.network.writes.forEach(write -> write.ackAll(9));
        assertThat(result().isComplete()).isTrue();
        assertThat(result().acked()).extracting(ActorAck::actor).containsExactly(0, 1, 2);
        assertThat(world.pendingTimers()).isZero();
        assertThat(world.watcherCount()).isZero();
    }

    @Test
    void readYourWritesFloorRisesAtLevelIsrOnly() {
        world.route(1, actor(0, 1, 1));
        start(AckLevel.PRIMARY, 1_000, batch(0, 10));
        world.network.lastWrite().ackAll(8);
        assertThat(world.state.watermarks().watermark(TABLE_ID, actor(0, 1, 1))).isZero();
        update(0);
        world.network.lastWrite().ackAll(9);
        assertThat(world.state.watermarks().watermark(TABLE_ID, actor(0, 1, 1))).isEqualTo(9);
    }

    @Test
    void partialSuccessIsToldPerActor() {
        world.route(1, actor(0, 1, 1), actor(1, 1, 1));
        update(0, 1);
        world.network
                .lastWrite()
                .reply(List.of(new ActorAck(0, 1, 4, false)), List.of(failure(1, ErrorCode.INVALID_ROW, 1)));
        assertThat(result().acked()).extracting(ActorAck::actor).containsExactly(0);
        assertThat(result().failed()).singleElement().satisfies(failure -> {
            assertThat(failure.actor()).isOne();
            assertThat(failure.error().code()).isEqualTo(ErrorCode.INVALID_ROW);
        });
    }

    @Test
    void deposedPrimaryIsRetriedAtTheNewOneWithTheSameId() {
        world.route(2, actor(0, 1, 1, 2));
        update(0);
        Write first = world.network.lastWrite();
        first.reply(List.of(), List.of(failure(0, ErrorCode.NOT_PRIMARY, 2)));
        assertThat(world.network.writes).hasSize(1);
        assertThat(world.refreshes).hasSize(1);
        world.route(2, actor(0, 2, 2));
        Write second = world.network.lastWrite();
        assertThat(second.server()).isEqualTo(2);
        assertThat(second.request().request()).isEqualTo(first.request().request());
        assertThat(second.request().attempt()).isEqualTo(2);
        second.ackAll(1);
        assertThat(result().isComplete()).isTrue();
        assertThat(result().retries()).isOne();
    }

    @Test
    void rowsInFlightFollowThePrimary() {
        world.route(2, actor(0, 1, 1, 2));
        update(0);
        world.pass(world.settings.silenceNanos());
        world.route(2, actor(0, 2, 2));
        assertThat(world.network.lastWrite().server()).isEqualTo(2);
        world.network.writes.get(0).fail(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(world.network.writes).hasSize(2);
        world.network.lastWrite().ackAll(3);
        assertThat(result().isComplete()).isTrue();
    }

    @Test
    void lateAcknowledgementOfTheFirstAttemptCounts() {
        world.route(2, actor(0, 1, 1, 2));
        update(0);
        world.pass(world.settings.silenceNanos());
        world.route(2, actor(0, 2, 2));
        world.network.writes.get(0).ackAll(3);
        assertThat(result().isComplete()).isTrue();
    }

    @Test
    void attemptWithoutAnswerIsSentAgain() {
        world.route(1, actor(0, 1, 1));
        update(0);
        assertThat(world.network.lastWrite().timeoutNanos()).isEqualTo(world.settings.updateAttemptNanos());
        world.network.lastWrite().fail(ErrorCode.DEADLINE_EXCEEDED);
        world.pass(100 * MS);
        assertThat(world.network.writes).hasSize(2);
    }

    @Test
    void unknownAtTheDeadlineIsReportedAsUnknown() {
        world.route(2, actor(0, 1, 1), actor(1, 1, 2));
        start(AckLevel.ISR, 1_000, batch(0, 10), batch(1, 10));
        world.network.writes.get(0).fail(ErrorCode.OUTCOME_UNKNOWN);
        world.network.writes.get(1).fail(ErrorCode.UNAVAILABLE);
        world.routeLive(List.of(), TABLE_ID, actor(0, 1, 1), actor(1, 1, 2));
        world.pass(1_000 * MS);
        assertThat(result().failed())
                .extracting(failure -> failure.error().code())
                .containsExactly(ErrorCode.OUTCOME_UNKNOWN, ErrorCode.DEADLINE_EXCEEDED);
        assertThat(result().failed().get(0).error())
                .hasMessageContaining(result().request().toString());
        assertThat(result().failed().get(0).error().tried()).isNotEmpty();
    }

    @Test
    void fullLogAfterAnUnknownAttemptStaysUnknown() {
        world.route(1, actor(0, 1, 1));
        update(0);
        world.network.lastWrite().fail(ErrorCode.OUTCOME_UNKNOWN);
        world.pass(100 * MS);
        world.network.lastWrite().reply(List.of(), List.of(failure(0, ErrorCode.LOG_FULL, 1)));
        assertThat(result().failed().get(0).error().code()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    @Test
    void tooFewReplicasIsRetriedAndNamedAtTheDeadline() {
        world.route(1, actor(0, 1, 1));
        start(AckLevel.ISR, 500, batch(0, 10));
        for (int i = 0; i < 50 && outcomes.isEmpty(); i++) {
            world.network.lastWrite().reply(List.of(), List.of(failure(0, ErrorCode.NOT_ENOUGH_REPLICAS, 1)));
            world.pass(10 * MS);
        }
        assertThat(world.network.writes).hasSizeBetween(3, 10);
        assertThat(result().failed().get(0).error().code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
    }

    @Test
    void fullDiskIsGivenUpAfterAFewAttempts() {
        world.route(1, actor(0, 1, 1));
        update(0);
        while (outcomes.isEmpty()) {
            world.network.lastWrite().reply(List.of(), List.of(failure(0, ErrorCode.DISK_FULL, 1)));
            world.pass(1_000 * MS);
        }
        assertThat(world.network.writes).hasSize(4);
        assertThat(result().failed().get(0).error().code()).isEqualTo(ErrorCode.DISK_FULL);
    }

    @Test
    void bigUpdatesAreSplitAndSentOneAfterTheOther() {
        world.route(1, actor(0, 1, 1), actor(1, 1, 1), actor(2, 1, 1));
        int half = Limits.BATCH_BYTES_MAX / 2;
        start(AckLevel.ISR, 10_000, batch(0, half), batch(1, half), batch(2, half));
        assertThat(world.network.writes).extracting(Write::actors).containsExactly(List.of(0, 1));
        world.network.lastWrite().ackAll(1);
        assertThat(world.network.writes).extracting(Write::actors).containsExactly(List.of(0, 1), List.of(2));
        world.network.lastWrite().ackAll(1);
        assertThat(result().isComplete()).isTrue();
    }

    @Test
    void actorLeftOutOfTheAnswerIsAskedAgain() {
        world.route(1, actor(0, 1, 1), actor(1, 1, 1));
        update(0, 1);
        world.network.lastWrite().reply(List.of(new ActorAck(0, 1, 1, false)), List.of());
        world.pass(100 * MS);
        assertThat(world.network.lastWrite().actors()).containsExactly(1);
    }

    @Test
    void waitsForALivePrimary() {
        world.routeLive(List.of(2), TABLE_ID, actor(0, 1, 1, 2));
        update(0);
        assertThat(world.network.writes).isEmpty();
        world.route(2, actor(0, 2, 2, 1));
        assertThat(world.network.lastWrite().server()).isEqualTo(2);
    }

    @Test
    void droppedTableIsNotFound() {
        world.routeLive(List.of(1), TABLE_ID + 1, actor(0, 1, 1));
        update(0);
        assertThat(outcomes)
                .singleElement()
                .satisfies(outcome -> assertThat(
                                ((Outcome.Err<UpdateResult>) outcome).error().code())
                        .isEqualTo(ErrorCode.TABLE_NOT_FOUND));
    }

    @Test
    void attemptsAreBounded() {
        world.route(1, actor(0, 1, 1));
        start(AckLevel.ISR, 3_600_000, batch(0, 10));
        while (outcomes.isEmpty()) {
            world.network.lastWrite().fail(ErrorCode.RESOURCE_EXHAUSTED);
            world.pass(1_100 * MS);
        }
        assertThat(world.network.writes).hasSize(Limits.UPDATE_ATTEMPTS_PER_ACTOR_MAX);
    }

    private void update(Integer... actors) {
        start(
                AckLevel.ISR,
                20_000,
                Arrays.stream(actors).map(actor -> batch(actor, 10)).toArray(ActorBatch[]::new));
    }

    private void start(AckLevel level, long deadlineMs, ActorBatch... batches) {
        outcomes.clear();
        Update update =
                new Update(TABLE, TABLE_ID, "kv.put@1", level, List.of(batches), world.nanos() + deadlineMs * MS);
        new UpdateExecution(world.environment(), update, tracker.nextRequest().orElseThrow(), outcomes::add).start();
    }

    private static ActorBatch batch(int actor, int bytes) {
        return new ActorBatch(actor, 1, Bytes.wrap(new byte[bytes]));
    }

    private UpdateResult result() {
        assertThat(outcomes).singleElement().isInstanceOf(Outcome.Ok.class);
        return ((Outcome.Ok<UpdateResult>) outcomes.get(0)).value();
    }
}
