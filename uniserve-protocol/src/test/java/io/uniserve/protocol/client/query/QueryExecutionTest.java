package io.uniserve.protocol.client.query;

import static io.uniserve.protocol.client.routing.TestingWorld.MS;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE_ID;
import static io.uniserve.protocol.client.routing.TestingWorld.actor;
import static io.uniserve.protocol.client.routing.TestingWorld.server;
import static io.uniserve.protocol.client.update.TestingClientNetwork.failure;
import static io.uniserve.protocol.client.update.TestingClientNetwork.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.client.routing.TestingWorld;
import io.uniserve.protocol.client.update.TestingClientNetwork.Read;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QueryExecutionTest {
    private final TestingWorld world = new TestingWorld();
    private final List<Outcome<QueryResult>> outcomes = new ArrayList<>();

    @Test
    void oneRequestPerServerWithAllItsActors() {
        world.route(2, actor(0, 1, 1), actor(1, 1, 2), actor(2, 1, 1), actor(3, 1, 2));
        query();

        assertThat(world.network.reads).extracting(Read::actors).containsExactly(List.of(0, 2), List.of(1, 3));
        world.network.reads.get(1).answer(part(1, 3));
        assertThat(outcomes).isEmpty();
        world.network.reads.get(0).answerEach();

        assertThat(values()).containsExactlyInAnyOrder("1+3", "0", "2");
        assertThat(result().stats()).isEqualTo(new QueryResult.Stats(2, 0, 0, java.util.Set.of(server(1), server(2))));
        assertThat(world.pendingTimers()).isZero();
    }

    @Test
    void someActorsOnly() {
        world.route(2, actor(0, 1, 1), actor(1, 4, 2), actor(2, 1, 1));
        start(Optional.of(List.of(1)), 100);

        assertThat(world.network.lastRead().request.targets())
                .singleElement()
                .satisfies(target -> assertThat(target.epoch()).isEqualTo(4));
        world.network.lastRead().answerEach();
        assertThat(values()).containsExactly("1");
    }

    @Test
    void noActorsIsAnEmptyAnswer() {
        world.route(1, actor(0, 1, 1));
        start(Optional.of(List.of()), 100);
        assertThat(values()).isEmpty();
    }

    @Test
    void actorsThatDoNotExistAreRefused() {
        world.route(1, actor(0, 1, 1));
        start(Optional.of(List.of(1)), 100);
        assertThat(error().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void actorsAskedForTwiceAreRefused() {
        world.route(1, actor(0, 1, 1));
        start(Optional.of(List.of(0, 0)), 100);
        assertThat(error()).hasMessageContaining("twice");
    }

    @Test
    void failedActorAloneGoesElsewhere() {
        world.route(2, actor(0, 1, 1, 2), actor(1, 1, 1, 2));
        query();
        world.network.lastRead().reply(List.of(part(0)), List.of(failure(1, ErrorCode.LEASE_EXPIRED, 1)));

        assertThat(world.network.lastRead().server).isEqualTo(2);
        assertThat(world.network.lastRead().actors()).containsExactly(1);
        world.network.lastRead().answerEach();
        assertThat(values()).containsExactly("0", "1");
        assertThat(result().stats().retries()).isOne();
    }

    @Test
    void resultsOfAllActorsTogetherAreBounded() {
        world.route(5, actor(0, 1, 1), actor(1, 1, 2), actor(2, 1, 3), actor(3, 1, 4), actor(4, 1, 5));
        query();
        Bytes large = Bytes.wrap(new byte[Limits.RESULT_BYTES_PER_REPLY_MAX]);
        for (int i = 0; i < 4; i++) {
            world.network.reads.get(i).reply(List.of(new ReadReply.Part(List.of(i), large)), List.of());
        }
        assertThat(outcomes).isEmpty();
        world.network.reads.get(4).reply(List.of(new ReadReply.Part(List.of(4), large)), List.of());
        assertThat(error().code()).isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(error()).hasMessageContaining("ask for less");
    }

    @Test
    void deadServersActorsGoElsewhereAtOnceAndItIsAvoided() {
        world.route(3, actor(0, 1, 1, 2), actor(1, 1, 1, 3));
        query();
        world.network.lastRead().fail(ErrorCode.UNAVAILABLE);

        assertThat(world.network.reads).extracting(read -> read.server).containsExactly(1, 2, 3);
        world.network.reads.get(1).answerEach();
        world.network.reads.get(2).answerEach();
        assertThat(values()).containsExactly("0", "1");

        query();
        assertThat(world.network.reads.subList(3, 5))
                .extracting(read -> read.server)
                .containsExactly(2, 3);
    }

    @Test
    void avoidedServerIsStillAskedWhereThereIsNoOther() {
        world.route(2, actor(0, 1, 1));
        world.state.health().onFailure(server(1), world.nanos());
        query();
        assertThat(world.network.lastRead().server).isEqualTo(1);
    }

    @Test
    void oldMapWaitsForTheNewerOne() {
        world.route(2, actor(0, 1, 1, 2));
        query();
        world.network.lastRead().reply(List.of(), List.of(failure(0, ErrorCode.STALE_EPOCH, 2)));
        assertThat(world.network.reads).hasSize(1);
        assertThat(world.refreshes).hasSize(1);

        world.route(2, actor(0, 2, 2, 1));
        assertThat(world.network.lastRead().request.targets().get(0).epoch()).isEqualTo(2);
        world.network.lastRead().answerEach();
        assertThat(values()).containsExactly("0");
        assertThat(world.watcherCount()).isZero();
    }

    @Test
    void replicaThatIsBehindTheMapIsPassedOver() {
        world.route(2, actor(0, 5, 1, 2));
        query();
        world.network.lastRead().reply(List.of(), List.of(failure(0, ErrorCode.STALE_EPOCH, 4)));
        assertThat(world.network.lastRead().server).isEqualTo(2);
    }

    @Test
    void lostRoutingPushIsMadeUpByTheBackOff() {
        world.route(1, actor(0, 1, 1));
        query();
        world.network.lastRead().reply(List.of(), List.of(failure(0, ErrorCode.STALE_EPOCH, 2)));
        world.pass(world.settings.backoffMinNanos());
        assertThat(world.network.reads).hasSize(2);
    }

    @Test
    void backsOffWhenEveryReplicaWasTriedAndRefreshesFirst() {
        world.route(2, actor(0, 1, 1, 2));
        query();
        world.network.lastRead().fail(ErrorCode.RESOURCE_EXHAUSTED);
        world.network.lastRead().fail(ErrorCode.RESOURCE_EXHAUSTED);
        assertThat(world.network.reads).hasSize(2);
        assertThat(world.refreshes).hasSize(1);
        world.finishRefreshes();
        assertThat(world.network.reads).hasSize(2);

        world.pass(10 * MS);
        assertThat(world.network.reads).hasSize(3);
        world.network.lastRead().answerEach();
        assertThat(values()).containsExactly("0");
    }

    @Test
    void waitsForALiveReplica() {
        world.routeLive(List.of(2), TABLE_ID, actor(0, 1, 1));
        query();
        assertThat(world.network.reads).isEmpty();
        world.route(2, actor(0, 1, 1));
        assertThat(world.network.reads).hasSize(1);
    }

    @Test
    void attemptsAreBounded() {
        world.route(1, actor(0, 1, 1));
        start(Optional.empty(), 3_600_000);
        while (outcomes.isEmpty()) {
            world.network.lastRead().fail(ErrorCode.IO);
            world.pass(3_600_000 * MS / Limits.QUERY_ATTEMPTS_PER_ACTOR_MAX);
        }
        assertThat(world.network.reads).hasSizeLessThanOrEqualTo(Limits.QUERY_ATTEMPTS_PER_ACTOR_MAX);
        assertThat(error().tried()).isNotEmpty();
    }

    @Test
    void attemptsLastUntilTheDeadline() {
        world.route(1, actor(0, 1, 1));
        start(Optional.empty(), 30_000);
        long begin = world.nanos();
        int answered = 0;
        while (outcomes.isEmpty()) {
            if (world.network.reads.size() > answered) {
                answered = world.network.reads.size();
                world.network.lastRead().fail(ErrorCode.UNAVAILABLE);
            }
            world.pass(MS);
        }
        assertThat((world.nanos() - begin) / MS).isBetween(25_000L, 30_001L);
    }

    /** A map reaches clients before the servers in it have installed its epoch. */
    @Test
    void mapsThatComeBeforeServersHaveThemDoNotUseUpTheAttempts() {
        world.route(4, actor(0, 1, 1, 2, 3, 4));
        start(Optional.empty(), 60_000);
        int answered = 0;
        for (int epoch = 1; epoch <= 10; epoch++) {
            world.route(4, actor(0, epoch, 1, 2, 3, 4));
            while (world.network.reads.size() > answered) {
                Read read = world.network.reads.get(answered++);
                read.reply(List.of(), List.of(failure(0, ErrorCode.STALE_EPOCH, epoch - 1)));
            }
            assertThat(outcomes).isEmpty();
        }
        assertThat(answered).isEqualTo(40);

        world.pass(world.settings.backoffMinNanos()); // after a new map the back-off starts again with the minimum
        world.network.lastRead().answerEach();
        assertThat(values()).containsExactly("0");
    }

    @Test
    void operatorThatFailsEverywhereFailsTheQueryAtOnce() {
        world.route(2, actor(0, 1, 1, 2));
        query();
        world.network.lastRead().reply(List.of(), List.of(failure(0, ErrorCode.PORT_FAILED, 1)));
        assertThat(outcomes).isEmpty();
        world.network.lastRead().reply(List.of(), List.of(failure(0, ErrorCode.PORT_FAILED, 1)));
        assertThat(error().code()).isEqualTo(ErrorCode.PORT_FAILED);
        assertThat(error().tried())
                .extracting(attempt -> attempt.where())
                .containsExactly("server s1 actor 0", "server s2 actor 0");
    }

    @Test
    void userErrorIsNotRetried() {
        world.route(2, actor(0, 1, 1, 2), actor(1, 1, 2));
        query();
        world.network.reads.get(0).fail(ErrorCode.INVALID_ARGUMENT);
        assertThat(error().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(world.network.reads.get(1).cancelled).isTrue();
        world.network.reads.get(1).answerEach();
        assertThat(outcomes).hasSize(1);
    }

    @Test
    void partWithAnActorNobodyAskedForDoesNotCount() {
        world.route(2, actor(0, 1, 1, 2), actor(1, 1, 2));
        start(Optional.of(List.of(0)), 100);
        world.network.lastRead().answer(part(0, 1));
        assertThat(outcomes).isEmpty();
        assertThat(world.network.lastRead().server).isEqualTo(2);
    }

    @Test
    void secondPartWithTheSameActorDoesNotCount() {
        world.route(2, actor(0, 1, 1, 2), actor(1, 1, 1, 2));
        query();
        world.network.lastRead().answer(part(0), part(0, 1), part());
        assertThat(world.network.lastRead().actors()).containsExactly(1);
        world.network.lastRead().answerEach();
        assertThat(values()).containsExactly("0", "1");
    }

    @Test
    void actorLeftOutOfTheReplyIsAskedAgain() {
        world.route(2, actor(0, 1, 1, 2), actor(1, 1, 1, 2));
        query();
        world.network.lastRead().answer(part(1));
        assertThat(world.network.lastRead().actors()).containsExactly(0);
    }

    @Test
    void deadlineListsWhatWasTriedWhere() {
        world.route(2, actor(0, 1, 1, 2), actor(1, 1, 2));
        start(Optional.empty(), 100);
        world.network.reads.get(0).fail(ErrorCode.UNAVAILABLE);
        world.pass(100 * MS);

        assertThat(error().code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(error().tried())
                .extracting(attempt -> attempt.where() + " " + attempt.code())
                .contains(
                        "server s1 actor 0 UNAVAILABLE",
                        "server s2 actor 1 DEADLINE_EXCEEDED",
                        "server s2 actor 0 DEADLINE_EXCEEDED");
        assertThat(world.network.reads).filteredOn(read -> read.cancelled).hasSize(2);
        assertThat(world.pendingTimers()).isZero();
    }

    @Test
    void serversThatOnlyStaySilentAreNotCalledDead() {
        world.route(1, actor(0, 1, 1));
        start(Optional.empty(), 100);
        world.pass(100 * MS);
        assertThat(error()).hasMessageContaining("no answer after").hasMessageNotContaining("no live replica");
    }

    @Test
    void cancelCancelsOnTheServers() {
        world.route(1, actor(0, 1, 1));
        QueryExecution machine = query();
        machine.cancel();
        machine.cancel();
        assertThat(error().code()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(world.network.lastRead().cancelled).isTrue();
    }

    @Test
    void unknownTableIsLookedForOnce() {
        query();
        world.finishRefreshes();
        assertThat(error().code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }

    @Test
    void tableThatTheRefreshBringsIsFound() {
        query();
        world.route(1, actor(0, 1, 1));
        world.finishRefreshes();
        world.network.lastRead().answerEach();
        assertThat(values()).containsExactly("0");
    }

    @Test
    void withoutAnyServerTheDeadlineEndsTheQuery() {
        start(Optional.empty(), 1_000);
        for (int i = 0; i < 200 && outcomes.isEmpty(); i++) {
            world.failRefreshes();
            world.pass(10 * MS);
        }
        assertThat(error().code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
    }

    @Test
    void hangingRefreshDoesNotOutliveTheDeadline() {
        start(Optional.empty(), 1_000);
        world.failRefreshes();
        world.pass(1_000 * MS);
        assertThat(error().code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
    }

    @Test
    void droppedTableEndsTheQuery() {
        world.route(1, actor(0, 1, 1));
        query();
        world.network.lastRead().fail(ErrorCode.UNAVAILABLE);
        world.change(new Routing("c", List.of(), List.of(), null));
        assertThat(error().code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }

    @Test
    void tableMadeAnewUnderTheSameNameIsAnotherTable() {
        world.route(1, actor(0, 1, 1));
        query();
        world.network.lastRead().fail(ErrorCode.UNAVAILABLE);
        world.routeLive(List.of(1), TABLE_ID + 1, actor(0, 1, 1));
        assertThat(error().code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }

    @Test
    void readsCarryTheFloorAndGoToThePrimaryWhenAReplicaIsBehind() {
        world.route(3, actor(0, 1, 1, 2, 3));
        world.policy = (candidates, random) -> candidates.size() - 1;
        world.settings(world.settings);
        world.state.watermarks().raise(TABLE_ID, 0, 1, 42);
        query();
        assertThat(world.network.lastRead().server).isEqualTo(3);
        assertThat(world.network.lastRead().request.targets().get(0).floorIndex())
                .isEqualTo(42);
        world.network.lastRead().reply(List.of(), List.of(failure(0, ErrorCode.BEHIND, 1)));
        assertThat(world.network.lastRead().server).isEqualTo(1);
    }

    @Test
    void staleReadsMayGoToLearners() {
        world.route(
                2,
                new io.uniserve.model.ActorState(
                        0,
                        1,
                        server(1),
                        List.of(server(1)),
                        List.of(server(2)),
                        List.of(),
                        List.of(),
                        java.util.Map.of(),
                        0));
        new QueryExecution(
                        world.environment(),
                        new Query(
                                TABLE, Optional.empty(), "op@1", Bytes.EMPTY, ReadMode.STALE, world.nanos() + 100 * MS),
                        outcomes::add)
                .start();
        world.network.lastRead().fail(ErrorCode.UNAVAILABLE);
        assertThat(world.network.lastRead().server).isEqualTo(2);
    }

    private QueryExecution query() {
        return start(Optional.empty(), 10_000);
    }

    private QueryExecution start(Optional<List<Integer>> actors, long deadlineMs) {
        outcomes.clear();
        QueryExecution machine = new QueryExecution(
                world.environment(),
                new Query(TABLE, actors, "op@1", Bytes.EMPTY, ReadMode.LINEARIZABLE, world.nanos() + deadlineMs * MS),
                outcomes::add);
        machine.start();
        return machine;
    }

    private QueryResult result() {
        assertThat(outcomes).hasSize(1);
        assertThat(outcomes.get(0)).isInstanceOf(Outcome.Ok.class);
        return ((Outcome.Ok<QueryResult>) outcomes.get(0)).value();
    }

    private List<String> values() {
        return result().parts().stream().map(Bytes::utf8).toList();
    }

    private UniserveException error() {
        assertThat(outcomes).hasSize(1);
        assertThat(outcomes.get(0)).isInstanceOf(Outcome.Err.class);
        return ((Outcome.Err<QueryResult>) outcomes.get(0)).error();
    }
}
