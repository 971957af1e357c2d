package io.uniserve.protocol.client.query;

import static io.uniserve.protocol.client.routing.TestingWorld.MS;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE;
import static io.uniserve.protocol.client.routing.TestingWorld.actor;
import static io.uniserve.protocol.client.routing.TestingWorld.server;
import static io.uniserve.protocol.client.update.TestingClientNetwork.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.client.routing.ClientState;
import io.uniserve.protocol.client.routing.HedgeBudget;
import io.uniserve.protocol.client.routing.RequestSettings;
import io.uniserve.protocol.client.routing.TestingWorld;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class HedgingTest {
    private final TestingWorld world = new TestingWorld();
    private final List<Outcome<QueryResult>> outcomes = new ArrayList<>();
    private boolean sameCopies;

    @Test
    void slowRequestIsHedgedAfterTheP95AndTheLoserCancelled() {
        learn(20 * MS);
        world.route(2, actor(0, 1, 1, 2));
        query();
        world.pass(15 * MS);
        assertThat(world.network.reads).hasSize(1);
        world.pass(10 * MS);
        assertThat(world.network.reads).hasSize(2);

        world.network.lastRead().answerEach();
        assertThat(result().stats().hedges()).isOne();
        assertThat(world.network.reads.get(0).cancelled).isTrue();
    }

    @Test
    void aQueryOfADroppedTableWaitsInPeace() {
        learn(20 * MS);
        world.route(2, actor(0, 1, 1, 2));
        query();
        world.change(new Routing("c", List.of(), List.of(), null));
        world.pass(200 * MS);
        assertThat(world.rings()).as("timers that rang").isLessThan(100);
    }

    @Test
    void slowAnswerThatComesFirstAfterAllWins() {
        learn(20 * MS);
        world.route(2, actor(0, 1, 1, 2));
        query();
        world.pass(30 * MS);
        world.network.reads.get(0).answerEach();
        assertThat(result().parts()).hasSize(1);
        assertThat(world.network.reads.get(1).cancelled).isTrue();
    }

    @Test
    void mergedPartThatOverlapsAHedgeIsThrownAwayAndItsOpenActorsAskedAgain() {
        learn(20 * MS);
        world.route(3, actor(0, 1, 1, 2), actor(1, 1, 1, 3));
        query();
        world.pass(30 * MS);
        assertThat(world.network.reads).extracting(read -> read.server).containsExactly(1, 2, 3);
        world.network.reads.get(1).answerEach();
        world.network.reads.get(0).answer(part(0, 1));
        assertThat(outcomes).isEmpty();
        world.network.reads.get(2).fail(ErrorCode.UNAVAILABLE);
        world.pass(world.settings.backoffMinNanos());

        assertThat(world.network.lastRead().actors()).containsExactly(1);
        world.network.lastRead().answerEach();
        assertThat(result().parts()).extracting(Bytes::utf8).containsExactly("0", "1");
    }

    @Test
    void failureOfOneOfTwoRequestsWaitsForTheOther() {
        learn(20 * MS);
        world.route(2, actor(0, 1, 1, 2));
        query();
        world.pass(30 * MS);
        world.network.reads.get(1).fail(ErrorCode.UNAVAILABLE);
        assertThat(world.network.reads).hasSize(2);
        world.network.reads.get(0).answerEach();
        assertThat(result().parts()).hasSize(1);
    }

    @Test
    void hedgesStayWithinTheBudget() {
        learn(20 * MS);
        world.route(2, actor(0, 1, 1, 2));
        int hedged = 0;
        for (int i = 0; i < 300; i++) {
            learn(20 * MS);
            query();
            world.pass(30 * MS);
            world.network.reads.get(0).answerEach();
            hedged += result().stats().hedges();
        }
        assertThat(hedged).isBetween(30, 30 + HedgeBudget.SAVED_MAX + 1);
    }

    @Test
    void whatTheBudgetRefusedIsHedgedOnceTheServerProvesSilent() {
        learn(20 * MS);
        world.route(3, actor(0, 1, 1, 2), actor(1, 1, 1, 3));
        while (world.state.hedges().tryTake()) {
            // spend the budget
        }
        for (int i = 0; i < 10; i++) {
            world.state.hedges().onRequest();
        }
        query();
        world.pass(30 * MS);
        assertThat(world.network.reads).extracting(read -> read.server).containsExactly(1, 2);
        world.network.lastRead().answerEach();
        world.pass(world.settings.silenceNanos());
        assertThat(world.network.lastRead().server).isEqualTo(3);
        world.network.lastRead().answerEach();
        assertThat(result().parts()).hasSize(2);
    }

    @Test
    void silentServerIsPassedOverWithoutBudgetAndThenAvoided() {
        world.settings(RequestSettings.defaults().withHedgePermille(0));
        world.route(2, actor(0, 1, 1, 2));
        query();
        world.pass(world.settings.silenceNanos());
        assertThat(world.network.reads).hasSize(2);
        world.network.lastRead().answerEach();
        assertThat(result().stats().hedges()).isOne();

        query();
        assertThat(world.network.lastRead().server).isEqualTo(2);
    }

    @Test
    void serverThatAnswersOthersIsNotSilent() {
        world.settings(RequestSettings.defaults().withHedgePermille(0));
        world.route(2, actor(0, 1, 1, 2));
        query();
        world.pass(100 * MS);
        world.state.health().onReply(server(1), world.nanos());
        world.pass(5_000 * MS);
        assertThat(world.network.reads).hasSize(1);
    }

    @Test
    void nothingToHedgeToWithOneReplica() {
        learn(20 * MS);
        world.route(2, actor(0, 1, 1));
        query();
        world.pass(5_000 * MS);
        assertThat(world.network.reads).hasSize(1);
        world.network.lastRead().answerEach();
        assertThat(result().stats().hedges()).isZero();
    }

    @Test
    void aQueryOfTheSameCopiesIsHedgedOnlyWhereItsServerIsSilent() {
        world.state = ClientState.of(world.settings, world.policy, 77);
        learn(20 * MS);
        world.route(2, actor(0, 1, 1, 2));
        sameCopies = true;
        query();
        int asked = world.network.lastRead().server;
        world.pass(30 * MS);
        assertThat(world.network.reads).hasSize(1);
        world.pass(world.settings.silenceNanos());
        assertThat(world.network.lastRead().server).isEqualTo(3 - asked);
        world.network.lastRead().answerEach();
        assertThat(result().parts()).hasSize(1);
    }

    @Test
    void theSameCopyIsAskedWhileItIsAliveAndOthersOnceEachWhereItRefuses() {
        world.route(3, actor(0, 1, 1, 2, 3));
        sameCopies = true;
        Set<Integer> all = new TreeSet<>();
        for (int client = 1; client <= 40; client++) {
            world.state = ClientState.of(world.settings, world.policy, client);
            Set<Integer> own = new TreeSet<>();
            for (int i = 0; i < 5; i++) {
                query();
                own.add(world.network.lastRead().server);
                world.network.lastRead().answerEach();
            }
            assertThat(own).hasSize(1);
            all.addAll(own);
        }
        assertThat(all).as("over many clients").containsExactly(1, 2, 3);
        query();
        for (int i = 0; i < 3; i++) {
            world.network.lastRead().fail(ErrorCode.CURSOR_GONE);
        }
        assertThat(world.network.reads).extracting(read -> read.server).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(outcomes)
                .singleElement()
                .isInstanceOfSatisfying(
                        Outcome.Err.class, err -> assertThat(err.error().code()).isEqualTo(ErrorCode.CURSOR_GONE));
    }

    private void learn(long latency) {
        for (int i = 0; i < 64; i++) {
            world.state.latencies().of("op@1").record(latency);
        }
    }

    private void query() {
        outcomes.clear();
        world.network.reads.clear();
        new QueryExecution(
                        world.environment(),
                        new Query(
                                        TABLE,
                                        Optional.empty(),
                                        "op@1",
                                        Bytes.EMPTY,
                                        ReadMode.LINEARIZABLE,
                                        world.nanos() + 10_000 * MS)
                                .withStableReplicas(sameCopies),
                        outcomes::add)
                .start();
    }

    private QueryResult result() {
        assertThat(outcomes).singleElement().isInstanceOf(Outcome.Ok.class);
        return ((Outcome.Ok<QueryResult>) outcomes.get(0)).value();
    }
}
