package io.uniserve.protocol.client.query;

import static io.uniserve.protocol.client.routing.TestingWorld.MS;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE_ID;
import static io.uniserve.protocol.client.routing.TestingWorld.actor;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.QueryText;
import io.uniserve.codec.Bytes;
import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.FailureCauseGrouper;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.client.routing.ClientState;
import io.uniserve.protocol.client.routing.TestingWorld;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.QueryRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlannedQueryExecutionTest {
    private final TestingWorld world = new TestingWorld();
    private final List<Sent> sent = new ArrayList<>();
    private final List<Outcome<PlannedQueryResult>> outcomes = new ArrayList<>();

    @Test
    void oneServerAnswers() {
        world.route(3, actor(0, 1, 1));
        query(1_000);
        sent.get(0).answer("yes");
        assertThat(result().answer().body().utf8()).isEqualTo("yes");
        assertThat(result().stats().requests()).isOne();
        assertThat(world.pendingTimers()).isZero();
    }

    @Test
    void theServerIsToldWhatTheClientWrote() {
        world.route(1, actor(0, 1, 1));
        query(1_000);
        world.state.watermarks().raise(TABLE_ID, 0, 1, 42);
        query(1_000);
        assertThat(sent.get(0).request.floors()).isEmpty();
        assertThat(sent.get(1).request.tableId()).isEqualTo(TABLE_ID);
        assertThat(sent.get(1).request.floors()).containsExactly(new QueryRequest.Floor(0, 1, 42));
    }

    @Test
    void theServerIsToldThatStepsAreWanted() {
        world.route(1, actor(0, 1, 1));
        query(1_000);
        PlannedQueryExecution explaining = machine(1_000).explain(true);
        explaining.start();
        assertThat(sent.get(0).request.explain()).isFalse();
        assertThat(sent.get(1).request.explain()).isTrue();
    }

    @Test
    void deadServerIsReplacedAndAvoided() {
        world.route(2, actor(0, 1, 1));
        query(1_000);
        sent.get(0).fail(ErrorCode.UNAVAILABLE);
        assertThat(sent.get(1).server).isNotEqualTo(sent.get(0).server);
        sent.get(1).answer("yes");
        assertThat(result().stats().retries()).isOne();
        query(1_000);
        assertThat(sent.get(2).server).isEqualTo(sent.get(1).server);
    }

    @Test
    void refusedQueryIsNotRetried() {
        world.route(2, actor(0, 1, 1));
        query(1_000);
        sent.get(0).fail(ErrorCode.UNSUPPORTED);
        assertThat(error().code()).isEqualTo(ErrorCode.UNSUPPORTED);
        assertThat(sent).hasSize(1);
    }

    @Test
    void failureOfThePortIsTriedOncePerServer() {
        world.route(2, actor(0, 1, 1));
        query(1_000);
        sent.get(0).fail(ErrorCode.PORT_FAILED);
        sent.get(1).fail(ErrorCode.PORT_FAILED);
        assertThat(error().code()).isEqualTo(ErrorCode.PORT_FAILED);
        assertThat(error().tried()).hasSize(2);
    }

    /** A server that forwards the failure of another server is no additional attempt. */
    @Test
    void aFailureThatIsPassedOnIsOneAttempt() {
        world.route(2, actor(0, 1, 1));
        query(1_000);
        Attempt below = new Attempt("server z actor 0", ErrorCode.INVALID_ARGUMENT, "no such field");
        sent.get(0).fail(new UniserveException(ErrorCode.INVALID_ARGUMENT, "no such field", List.of(below), null));
        assertThat(error().tried()).containsExactly(below);
    }

    /** The attempts of a server are not part of its message. Otherwise each server on the path would nest them once more. */
    @Test
    void whatAServerTriedIsToldOnce() {
        world.route(2, actor(0, 1, 1));
        query(1_000);
        Attempt deep = new Attempt("server z actor 0", ErrorCode.PORT_FAILED, "engine is gone");
        UniserveException failure =
                new UniserveException(ErrorCode.PORT_FAILED, "3 attempts failed", List.of(deep, deep, deep), null);
        sent.get(0).fail(failure);
        sent.get(1).fail(failure);
        assertThat(error().tried()).hasSize(8).filteredOn(deep::equals).hasSize(6);
        assertThat(error().tried()).noneMatch(attempt -> attempt.message().contains("tried"));
        assertThat(FailureCauseGrouper.of(error().tried())).hasSize(2);
    }

    @Test
    void backsOffWhenAllServersAreBusy() {
        world.route(1, actor(0, 1, 1));
        query(1_000);
        sent.get(0).fail(ErrorCode.RESOURCE_EXHAUSTED);
        assertThat(sent).hasSize(1);
        world.pass(10 * MS);
        sent.get(1).answer("yes");
        assertThat(result().stats().requests()).isEqualTo(2);
    }

    /** Another plan repeats the whole query, so its hedge waits four times as long as that of a read. */
    @Test
    void slowPlanIsHedgedLaterThanRead() {
        world.route(2, actor(0, 1, 1));
        query(5_000);
        long patience = 4 * world.settings.hedgeColdNanos();
        world.pass(patience - 1);
        assertThat(sent).hasSize(1);
        world.pass(1);
        assertThat(sent).hasSize(2);
        sent.get(0).answer("yes");
        assertThat(result().stats().hedges()).isOne();
        assertThat(sent.get(1).cancelled).isTrue();
    }

    @Test
    void slowPlanIsHedgedWhileTimeIsLeft() {
        world.route(2, actor(0, 1, 1));
        query(900);
        world.pass(300 * MS);
        assertThat(sent).hasSize(2);
    }

    @Test
    void silentServerIsHedged() {
        world.settings(world.settings.withHedgePermille(0));
        world.route(2, actor(0, 1, 1));
        query(5_000);
        world.pass(999 * MS);
        assertThat(sent).hasSize(1);
        world.pass(MS);
        assertThat(sent).hasSize(2);
        sent.get(1).answer("yes");
        assertThat(result().stats().hedges()).isOne();
        assertThat(sent.get(0).cancelled).isTrue();
        sent.get(0).answer("late");
        assertThat(outcomes).hasSize(1);
    }

    @Test
    void deadlineListsWhoWasAsked() {
        world.route(1, actor(0, 1, 1));
        query(500);
        world.pass(500 * MS);
        assertThat(error().code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(error().tried())
                .singleElement()
                .satisfies(attempt -> assertThat(attempt.where()).contains("s1"));
    }

    @Test
    void unknownTableIsLookedForOnce() {
        query(500);
        world.finishRefreshes();
        assertThat(error().code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }

    /** The client knows the query's table, so the missing one is another table that the planner needs. */
    @Test
    void aTableThatTwoPlannersDoNotFindIsNotThere() {
        world.route(3, actor(0, 1, 1));
        query(60_000);
        sent.get(0).fail(ErrorCode.TABLE_NOT_FOUND);
        assertThat(outcomes).isEmpty();
        sent.get(1).fail(ErrorCode.TABLE_NOT_FOUND);
        assertThat(error().code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        assertThat(error().tried()).hasSize(2);
        assertThat(world.pendingTimers()).isZero();
    }

    @Test
    void theOnlyPlannerIsAskedOnceMoreForATable() {
        world.route(1, actor(0, 1, 1));
        query(60_000);
        sent.get(0).fail(ErrorCode.TABLE_NOT_FOUND);
        world.pass(100 * MS);
        sent.get(1).fail(ErrorCode.TABLE_NOT_FOUND);
        assertThat(error().code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }

    @Test
    void aTableThatIsMadeAnewMeanwhileIsFound() {
        world.route(2, actor(0, 1, 1));
        query(60_000);
        sent.get(0).fail(ErrorCode.TABLE_NOT_FOUND);
        sent.get(1).answer("yes");
        assertThat(result().answer().body().utf8()).isEqualTo("yes");
    }

    @Test
    void aCursorWhoseCopiesAreGoneIsAskedOfNoOtherServer() {
        world.state = ClientState.of(world.settings, world.policy, 99);
        world.route(2, actor(0, 1, 1));
        query(60_000);
        assertThat(sent.get(0).request.replicaSeed()).isEqualTo(99);
        sent.get(0).fail(ErrorCode.CURSOR_GONE);
        assertThat(error().code()).isEqualTo(ErrorCode.CURSOR_GONE);
        assertThat(sent).hasSize(1);
    }

    @Test
    void cancelCancelsThere() {
        world.route(1, actor(0, 1, 1));
        query(500).cancel();
        assertThat(error().code()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(sent.get(0).cancelled).isTrue();
    }

    private PlannedQueryExecution query(long deadlineMs) {
        PlannedQueryExecution machine = machine(deadlineMs);
        machine.start();
        return machine;
    }

    private PlannedQueryExecution machine(long deadlineMs) {
        outcomes.clear();
        return new PlannedQueryExecution(
                world.environment(),
                (to, request, timeout, completion) -> {
                    Sent one = new Sent(to.port(), request, completion);
                    sent.add(one);
                    return () -> one.cancelled = true;
                },
                new QueryText(TABLE, "count"),
                world.nanos() + deadlineMs * MS,
                outcomes::add);
    }

    private PlannedQueryResult result() {
        assertThat(outcomes).singleElement().isInstanceOf(Outcome.Ok.class);
        return ((Outcome.Ok<PlannedQueryResult>) outcomes.get(0)).value();
    }

    private UniserveException error() {
        assertThat(outcomes).singleElement().isInstanceOf(Outcome.Err.class);
        return ((Outcome.Err<PlannedQueryResult>) outcomes.get(0)).error();
    }

    private static final class Sent {
        private final int server;
        private final QueryRequest request;
        private final Completion<Answer> completion;
        private boolean cancelled;

        private Sent(int server, QueryRequest request, Completion<Answer> completion) {
            this.server = server;
            this.request = request;
            this.completion = completion;
        }

        void answer(String text) {
            completion.done(Outcome.ok(new Answer("text/plain", Bytes.utf8(text))));
        }

        void fail(UniserveException error) {
            completion.done(Outcome.err(error));
        }

        void fail(ErrorCode code) {
            completion.done(Outcome.err(new UniserveException(code, "because")));
        }
    }
}
