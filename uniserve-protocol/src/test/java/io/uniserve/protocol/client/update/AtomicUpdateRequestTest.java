package io.uniserve.protocol.client.update;

import static io.uniserve.protocol.client.routing.TestingWorld.MS;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE_ID;
import static io.uniserve.protocol.client.routing.TestingWorld.actor;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.client.routing.TestingWorld;
import io.uniserve.protocol.client.transaction.AtomicUpdateRequest;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.VersionWatermarks;
import io.uniserve.protocol.client.update.TestingClientNetwork.Write;
import io.uniserve.protocol.client.update.Update.ActorBatch;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of the client of an atomic update, their targets, and the rows staged before. */
class AtomicUpdateRequestTest {
    private final TestingWorld world = new TestingWorld();
    private final RequestTracker tracker = new RequestTracker(() -> 5);
    private final VersionWatermarks floors = new VersionWatermarks();
    private final List<Question> questions = new ArrayList<>();
    private final List<Outcome<Long>> outcomes = new ArrayList<>();

    /** Request for a table's version. */
    private record Question(int server, Completion<ConsistentSnapshot> completion) {
        void answer(long version) {
            completion.done(Outcome.ok(new ConsistentSnapshot(
                    List.of(new ConsistentSnapshot.Table(TABLE, TABLE_ID, version, List.of(1L))))));
        }

        void fail(ErrorCode code) {
            completion.done(Outcome.err(new UniserveException(code, "because")));
        }
    }

    @BeforeEach
    void route() {
        world.route(2, actor(0, 1, 1, 2), actor(1, 1, 2, 1), actor(2, 1, 1, 2));
    }

    private AtomicUpdateRequest machine(RequestTracker.Ticket ticket, int... actors) {
        ConsistentSnapshotClient cuts =
                (to, tables, timeout, completion) -> questions.add(new Question(to.port() - 1000, completion));
        List<ActorBatch> batches = new ArrayList<>();
        for (int actor : actors) {
            batches.add(new ActorBatch(actor, 1, Bytes.utf8("rows-" + actor)));
        }
        Update update = new Update(TABLE, TABLE_ID, "f@1", AckLevel.ISR, batches, world.nanos() + 30_000 * MS);
        return new AtomicUpdateRequest(world.environment(), cuts, floors, update, ticket, outcomes::add);
    }

    private void update(int... actors) {
        machine(tracker.nextRequest().orElseThrow(), actors).start();
    }

    private List<Write> writes() {
        return world.network.writes;
    }

    private Write last() {
        return world.network.lastWrite();
    }

    private ErrorCode error() {
        return ((Outcome.Err<Long>) outcomes.get(outcomes.size() - 1)).error().code();
    }

    private String message() {
        return ((Outcome.Err<Long>) outcomes.get(outcomes.size() - 1)).error().reason();
    }

    @Test
    void aStrangerAsksForTheVersionOnce() {
        update(0, 1);
        assertThat(writes()).as("nothing is sent before the version is known").isEmpty();
        assertThat(questions).singleElement().extracting(Question::server).isEqualTo(1);
        questions.get(0).answer(2_000);
        assertThat(last().request().lowWater()).isEqualTo(2_000);
        assertThat(last().server()).isEqualTo(1);
        last().fail(ErrorCode.UNAVAILABLE);
        world.pass(100 * MS);
        assertThat(last().request().attempt()).isEqualTo(2);
        assertThat(last().request().lowWater())
                .as("a retry says what was committed before the first attempt")
                .isEqualTo(2_000);
        last().ackAll(2_007);
        update(1);
        assertThat(last().request().lowWater())
                .as("a recent user of the table has it")
                .isEqualTo(2_007);
        assertThat(questions).hasSize(1);
    }

    @Test
    void aTableThatGoesAfterAnAttemptLeavesItsOutcomeUnknown() {
        floors.raise(TABLE_ID, 7, world.nanos());
        update(0);
        last().fail(ErrorCode.TABLE_NOT_FOUND);
        assertThat(error()).as("nothing was sent before").isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        update(0);
        last().fail(ErrorCode.UNAVAILABLE);
        world.pass(100 * MS);
        last().fail(ErrorCode.TABLE_NOT_FOUND);
        assertThat(error()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    /** The outcome of the first attempt is unknown, so an error of the second one decides nothing. */
    @Test
    void anErrorAfterAnAttemptWithoutAnAnswerIsNotTheOutcome() {
        world.route(3, actor(0, 1, 1, 2), actor(1, 1, 2, 1), actor(2, 1, 3, 1));
        for (ErrorCode code : List.of(
                ErrorCode.INTERNAL,
                ErrorCode.UNAUTHORIZED,
                ErrorCode.WRONG_CLUSTER,
                ErrorCode.LOG_FULL,
                ErrorCode.UNSUPPORTED,
                ErrorCode.CANCELLED)) {
            floors.raise(TABLE_ID, 7, world.nanos());
            int before = outcomes.size();
            update(0);
            last().fail(ErrorCode.OUTCOME_UNKNOWN);
            world.pass(100 * MS);
            last().fail(code);
            assertThat(outcomes).as("no outcome by %s", code).hasSize(before);
            world.pass(100 * MS);
            assertThat(last().request().attempt())
                    .as("sent again after %s", code)
                    .isEqualTo(3);
            world.pass(31_000 * MS);
            assertThat(error()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
            assertThat(message()).as("the last error").contains(code.name());
        }
    }

    @Test
    void aRetryAfterAnErrorFindsTheOutcome() {
        world.route(3, actor(0, 1, 1, 2), actor(1, 1, 2, 1), actor(2, 1, 3, 1));
        floors.raise(TABLE_ID, 7, world.nanos());
        update(0);
        last().fail(ErrorCode.INTERNAL);
        assertThat(outcomes).as("it may have been taken").isEmpty();
        world.pass(100 * MS);
        last().fail(ErrorCode.UNAUTHORIZED);
        world.pass(100 * MS);
        last().ackAll(8);
        assertThat(outcomes).containsExactly(Outcome.ok(8L));
    }

    /** All rows are sent again each time. */
    @Test
    void whatIsRefusedIsSentAgainEverMoreSeldom() {
        for (ErrorCode code : List.of(ErrorCode.LOG_FULL, ErrorCode.INTERNAL, ErrorCode.NOT_ENOUGH_REPLICAS)) {
            world.route(40, actor(0, 1, 1, 2));
            floors.raise(TABLE_ID, 7, world.nanos());
            update(0);
            last().fail(ErrorCode.OUTCOME_UNKNOWN);
            int before = writes().size();
            for (int i = 0; i < 100; i++) {
                world.pass(100 * MS);
                if (writes().size() > before) {
                    before = writes().size();
                    last().fail(code);
                }
            }
            assertThat(last().request().attempt()).as("in 10 s, %s", code).isBetween(8, 20);
        }
    }

    @Test
    void whatNoAttemptCanHaveDoneIsToldAtOnce() {
        floors.raise(TABLE_ID, 7, world.nanos());
        for (ErrorCode code : List.of(ErrorCode.UNAUTHORIZED, ErrorCode.WRONG_CLUSTER, ErrorCode.LOG_FULL)) {
            update(0);
            last().fail(ErrorCode.RESOURCE_EXHAUSTED);
            world.pass(100 * MS);
            last().fail(code);
            assertThat(error()).isEqualTo(code);
        }
    }

    @Test
    void whatIsWrongWithTheRowsStandsWhateverAnEarlierAttemptDid() {
        floors.raise(TABLE_ID, 7, world.nanos());
        for (ErrorCode code : List.of(ErrorCode.UPDATE_REFUSED, ErrorCode.INVALID_ARGUMENT, ErrorCode.TOO_LARGE)) {
            update(0);
            last().fail(ErrorCode.OUTCOME_UNKNOWN);
            world.pass(100 * MS);
            last().fail(code);
            assertThat(error()).isEqualTo(code);
        }
    }

    @Test
    void whoWasAwayAsksAgain() {
        update(0);
        questions.get(0).answer(7);
        last().ackAll(8);
        world.pass((Limits.VERSION_RECENT_MS + 1) * MS);
        update(0);
        assertThat(questions).hasSize(2);
        questions.get(1).answer(5_000);
        assertThat(last().request().lowWater()).isEqualTo(5_000);
    }

    @Test
    void aTableWithoutVersionsIsKnownToo() {
        update(0);
        questions.get(0).answer(0);
        assertThat(last().request().lowWater()).isZero();
        last().fail(ErrorCode.UPDATE_REFUSED);
        update(0);
        assertThat(questions).hasSize(1);
        assertThat(writes()).hasSize(2);
    }

    @Test
    void anotherServerIsAskedWhereOneDoesNotAnswer() {
        update(0);
        questions.get(0).fail(ErrorCode.DEADLINE_EXCEEDED);
        world.pass(100 * MS);
        assertThat(questions.get(1).server()).isEqualTo(2);
        questions.get(1).answer(3);
        assertThat(last().server()).as("the one that answers gets the update").isEqualTo(2);
    }

    @Test
    void whatIsWrongIsTheDriversToSay() {
        update(0);
        questions.get(0).fail(ErrorCode.TABLE_NOT_FOUND);
        assertThat(last().request().lowWater()).isZero();
        last().fail(ErrorCode.TABLE_NOT_FOUND);
        assertThat(error()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }

    @Test
    void whatWasNotSentIsNotUnknown() {
        update(0);
        world.pass(31_000 * MS);
        assertThat(error()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        questions.get(0).answer(3);
        assertThat(writes()).isEmpty();
    }

    @Test
    void anIdOfTheApplicationMayBeOld() {
        machine(RequestTracker.Ticket.withId(new RequestId(1, 2, 3)), 0).start();
        assertThat(questions).isEmpty();
        assertThat(last().request().lowWater()).isZero();
    }

    private AtomicUpdateRequest staging(int... actors) {
        floors.raise(TABLE_ID, 4, world.nanos());
        return machine(tracker.nextRequest().orElseThrow(), actors).stagingLimits(1, 1);
    }

    private Write write(int place) {
        return writes().get(place);
    }

    @Test
    void rowsGoToTheirPrimariesFirst() {
        staging(0, 1, 2).start();
        assertThat(writes())
                .as("all servers at once, to each one message after the other")
                .hasSize(2);
        assertThat(write(0).server()).isEqualTo(1);
        assertThat(write(0).actors()).containsExactly(0);
        assertThat(write(1).server()).isEqualTo(2);
        assertThat(write(1).actors()).containsExactly(1);
        write(0).stagedAll();
        assertThat(write(2).server()).isEqualTo(1);
        assertThat(write(2).actors()).containsExactly(2);
        write(1).stagedAll();
        assertThat(writes()).allMatch(write -> write.request().stageOnly()).hasSize(3);
        write(2).stagedAll();
        assertThat(writes()).hasSize(4);
        assertThat(last().request().stageOnly()).isFalse();
        assertThat(last().request().attempt()).isOne();
        assertThat(last().request().actors())
                .hasSize(3)
                .allMatch(rows -> rows.rows().size() == 0 && rows.bytes() == "rows-0".length());
        last().ackAll(5);
        assertThat(outcomes).containsExactly(Outcome.ok(5L));
    }

    @Test
    void rowsGoWithTheUpdateWhereOneServerLeadsAll() {
        staging(0, 2).start();
        assertThat(writes()).hasSize(1);
        assertThat(last().request().stageOnly()).isFalse();
    }

    @Test
    void whatCouldNotBeStagedIsStagedAgain() {
        staging(0, 1).start();
        write(0).stagedAll();
        write(1).fail(ErrorCode.NOT_PRIMARY);
        world.finishRefreshes();
        world.pass(100 * MS);
        assertThat(writes()).hasSize(4);
        assertThat(write(2).request().attempt()).as("no manager yet").isOne();
        write(2).stagedAll();
        write(3).stagedAll();
        assertThat(last().server()).as("the first driver has its turn").isEqualTo(1);
        last().fail(ErrorCode.UNAVAILABLE);
        world.pass(100 * MS);
        assertThat(writes()).hasSize(7);
        assertThat(last().request().stageOnly()).isTrue();
        assertThat(last().request().attempt()).isEqualTo(2);
    }

    @Test
    void aPrimaryThatMovedIsFoundByANewerMap() {
        staging(0, 1).start();
        write(0).stagedAll();
        assertThat(world.refreshes).isEmpty();
        write(1).fail(ErrorCode.NOT_PRIMARY);
        assertThat(world.refreshes).hasSize(1);
    }

    @Test
    void nothingIsStagedAfterTheEnd() {
        AtomicUpdateRequest machine = staging(0, 1, 2);
        machine.start();
        machine.cancel();
        write(0).stagedAll();
        assertThat(writes()).hasSize(2);
        assertThat(error()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(outcomes).hasSize(1);
    }

    @Test
    void anAnswerThatKeepsOtherRowsIsNone() {
        staging(0, 1).start();
        write(0).reply(List.of(), List.of());
        world.finishRefreshes();
        world.pass(100 * MS);
        assertThat(writes()).hasSize(4).allMatch(write -> write.request().stageOnly());
    }

    @Test
    void whatWasOnlyStagedIsNotUnknown() {
        staging(0, 1).start();
        write(0).fail(ErrorCode.DEADLINE_EXCEEDED);
        world.pass(31_000 * MS);
        assertThat(error()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(message()).contains("not sent", "could not stage");
        staging(0, 1).start();
        last().fail(ErrorCode.TABLE_NOT_FOUND);
        assertThat(error()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }

    @Test
    void stagingSaysNothingOfAnEarlierAttempt() {
        staging(0, 1).start();
        write(0).stagedAll();
        write(1).stagedAll();
        last().fail(ErrorCode.UNAVAILABLE);
        world.pass(100 * MS);
        last().fail(ErrorCode.TABLE_NOT_FOUND);
        assertThat(error()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    }

    /** Only the transaction manager knows whether an earlier attempt was committed, so it decides about the expired chunk. */
    @Test
    void anUpdateWithAnExpiredChunkGoesToTheManager() {
        world.routeTime(1, 5, actor(5, 1, 1));
        staging(3, 5).start();
        assertThat(last().request().stageOnly()).isFalse();
        assertThat(last().actors()).containsExactly(3, 5);
    }
}
