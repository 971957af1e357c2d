package io.uniserve.protocol.client.query;

import static io.uniserve.protocol.client.routing.TestingWorld.MS;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE_ID;
import static io.uniserve.protocol.client.routing.TestingWorld.actor;
import static io.uniserve.protocol.client.routing.TestingWorld.server;
import static io.uniserve.protocol.client.update.TestingClientNetwork.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.client.routing.TestingWorld;
import io.uniserve.protocol.client.update.TestingClientNetwork.Read;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Sessions of the query machine: the replica and state of each request, and the loss of a state. */
class ReadSessionTest {
    private final TestingWorld world = new TestingWorld();
    private final List<Outcome<QueryResult>> outcomes = new ArrayList<>();
    private ReadSession session = new ReadSession(11, 12, 5_000 * MS);

    @Test
    void laterReadsAskTheSameReplicaForTheSameState() {
        world.route(3, actor(0, 1, 2, 1), actor(1, 1, 3, 1));
        query();
        assertThat(world.network.reads).extracting(read -> read.server).containsExactly(2, 3);
        assertThat(world.network.reads).allSatisfy(read -> {
            assertThat(read.request.session()).contains(new ReadRequest.SessionHold(11, 12, 4_000 * MS));
            assertThat(read.request.targets()).allMatch(target -> target.version() == 0);
        });
        world.network.reads.forEach(read -> answer(read, 70 + read.server));
        assertThat(value(0)).isInstanceOf(Outcome.Ok.class);

        world.policy = (candidates, random) -> candidates.size() - 1;
        world.route(3, actor(0, 2, 1, 2), actor(1, 2, 1, 3));
        query();
        assertThat(later()).extracting(read -> read.server).containsExactly(2, 3);
        assertThat(later())
                .extracting(read -> read.request.targets().get(0).version())
                .containsExactly(72L, 73L);
    }

    @Test
    void aReplicaThatLeftTheSetStillReadsWhatItHolds() {
        settle(2, actor(0, 1, 1, 2));
        world.route(2, actor(0, 2, 2));
        query();
        assertThat(world.network.lastRead().server).isEqualTo(1);
    }

    @Test
    void aStateThatIsGoneEndsTheQueryWithoutAskingOthers() {
        settle(2, actor(0, 1, 1, 2));
        query();
        world.network.lastRead().reply(List.of(), List.of(failure(0, ErrorCode.VERSION_GONE, 1)));
        assertThat(error()).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(world.network.reads).hasSize(2);
    }

    @Test
    void soDoesAServerThatCannotBeReached() {
        settle(2, actor(0, 1, 1, 2));
        query();
        world.network.lastRead().fail(ErrorCode.UNAVAILABLE);
        assertThat(error()).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(world.network.reads).hasSize(2);
    }

    @Test
    void soDoesAServerThatIsNoMoreThere() {
        settle(2, actor(0, 1, 1, 2));
        world.routeLive(List.of(2), TABLE_ID, actor(0, 2, 2));
        query();
        assertThat(error()).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(world.network.reads).hasSize(1);
        assertThat(world.pendingTimers()).isZero();
    }

    @Test
    void aServerThatComputesForLongIsWaitedForUntilTheDeadline() {
        settle(2, actor(0, 1, 1, 2));
        query();
        world.pass(9_000 * MS);
        assertThat(outcomes).as("no error while the server is in the map").hasSize(1);
        assertThat(world.network.reads).as("no other server has the state").hasSize(2);
        answer(world.network.lastRead(), 71);
        assertThat(value(1)).isInstanceOf(Outcome.Ok.class);

        query();
        world.pass(10_000 * MS);
        assertThat(error()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(world.network.lastRead().cancelled).isTrue();
    }

    @Test
    void aServerThatLeavesTheClusterWhileItComputesEndsTheQuery() {
        settle(2, actor(0, 1, 1, 2));
        query();
        world.pass(1_500 * MS);
        world.routeLive(List.of(2), TABLE_ID, actor(0, 2, 2));
        world.pass(2_000 * MS);
        assertThat(error()).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(world.network.reads).hasSize(2);
        assertThat(world.network.lastRead().cancelled).isTrue();
    }

    @Test
    void aServerThatIsBusyIsAskedAgain() {
        settle(2, actor(0, 1, 1, 2));
        query();
        world.network.lastRead().reply(List.of(), List.of(failure(0, ErrorCode.RESOURCE_EXHAUSTED, 1)));
        world.pass(100 * MS);
        assertThat(world.network.reads).hasSize(3);
        assertThat(world.network.lastRead().server).isEqualTo(1);
        answer(world.network.lastRead(), 71);
        assertThat(value(1)).isInstanceOf(Outcome.Ok.class);
    }

    @Test
    void theFirstReadIsHedgedAndTheFirstAnswerSettlesWhoHoldsTheState() {
        world.route(2, actor(0, 1, 1, 2));
        query();
        world.pass(300 * MS);
        assertThat(world.network.reads).extracting(read -> read.server).containsExactly(1, 2);
        answer(world.network.reads.get(1), 72);
        query();
        assertThat(world.network.lastRead().server).isEqualTo(2);
    }

    @Test
    void everyServerThatMayHoldAStateIsToldToLetGo() {
        world.route(2, actor(0, 1, 1, 2), actor(1, 1, 2));
        query();
        answer(world.network.reads.get(1), 72);
        world.pass(300 * MS);
        answer(world.network.lastRead(), 73);
        assertThat(value(0)).isInstanceOf(Outcome.Ok.class);
        int before = world.network.reads.size();
        session.release(world.environment());
        assertThat(world.network.reads.subList(before, world.network.reads.size()))
                .extracting(read -> read.server + " " + read.request.operator() + " " + read.actors())
                .containsExactly("1 uniserve.release@1 [0]", "2 uniserve.release@1 [1, 0]");
        int all = world.network.reads.size();
        session.release(world.environment());
        assertThat(world.network.reads).hasSize(all);
    }

    @Test
    void aServerThatHoldsNothingIsNoPartOfASession() {
        world.route(1, actor(0, 1, 1));
        query();
        world.network.lastRead().answerEach();
        assertThat(error()).isEqualTo(ErrorCode.UNSUPPORTED);
    }

    @Test
    void whatIsHeldCanBeToldToAPlanningServer() {
        settle(2, actor(0, 1, 1, 2));
        QueryRequest.Session told = session.toRequest(TABLE_ID, world.nanos());
        assertThat(told.pins()).containsExactly(new QueryRequest.Session.Pin(0, server(1), 71));
        assertThat(session.toRequest(TABLE_ID + 1, world.nanos()).pins()).isEmpty();
        session = ReadSession.of(told, TABLE_ID, world.nanos());
        query();
        assertThat(world.network.lastRead().server).isEqualTo(1);
        assertThat(world.network.lastRead().request.targets().get(0).version()).isEqualTo(71);
    }

    @Test
    void oneOfPresentStatesHoldsNothingAndAsksTheSameReplicaForTheStateThatItRead() {
        session = ReadSession.withoutHolding(world.nanos() + 5_000 * MS);
        settle(2, actor(0, 1, 1, 2));
        assertThat(world.network.lastRead().request.session())
                .hasValueSatisfying(hold -> assertThat(hold.currentOnly()).isTrue());
        assertThat(world.network.lastRead().request.targets().get(0).version()).isZero();
        world.policy = (candidates, random) -> candidates.size() - 1;
        query();
        assertThat(world.network.lastRead().server).isEqualTo(1);
        assertThat(world.network.lastRead().request.targets().get(0).version()).isEqualTo(71);
        world.network.lastRead().reply(List.of(), List.of(failure(0, ErrorCode.VERSION_GONE, 1)));
        assertThat(error()).isEqualTo(ErrorCode.VERSION_GONE);
        int before = world.network.reads.size();
        session.release(world.environment());
        assertThat(world.network.reads).as("no release is sent").hasSize(before);
    }

    @Test
    void aStateThatWasReadWhileItChangedIsNoStateForALaterRead() {
        session = ReadSession.withoutHolding(world.nanos() + 5_000 * MS);
        world.route(2, actor(0, 1, 1), actor(1, 1, 2));
        query();
        answer(world.network.reads.get(0), 71);
        answer(world.network.reads.get(1), 0);
        assertThat(value(0)).as("a query of one round needs no more").isInstanceOf(Outcome.Ok.class);
        query();
        assertThat(error()).isEqualTo(ErrorCode.VERSION_GONE);
        assertThat(later())
                .as("the actor gets no requests here")
                .noneMatch(read -> read.actors().contains(1));
        query(0);
        answer(world.network.lastRead(), 71);
        assertThat(outcomes.get(outcomes.size() - 1))
                .as("the other is as it was")
                .isInstanceOf(Outcome.Ok.class);
    }

    @Test
    void oneOfPresentStatesIsHedgedToo() {
        session = ReadSession.withoutHolding(world.nanos() + 5_000 * MS);
        world.route(2, actor(0, 1, 1, 2));
        query();
        world.pass(300 * MS);
        answer(world.network.reads.get(1), 72);
        answer(world.network.reads.get(0), 71);
        query();
        assertThat(world.network.lastRead().server).isEqualTo(2);
        assertThat(world.network.lastRead().request.targets().get(0).version()).isEqualTo(72);
    }

    private void settle(int servers, io.uniserve.model.ActorState... actors) {
        world.route(servers, actors);
        query();
        answer(world.network.lastRead(), 71);
        assertThat(value(0)).isInstanceOf(Outcome.Ok.class);
        world.pass(MS);
    }

    private void query() {
        query(Optional.empty());
    }

    private void query(int actor) {
        query(Optional.of(List.of(actor)));
    }

    private void query(Optional<List<Integer>> actors) {
        Query query = new Query(TABLE, actors, "op@1", Bytes.EMPTY, ReadMode.LINEARIZABLE, world.nanos() + 10_000 * MS);
        new QueryExecution(world.environment(), query, Optional.of(session), outcomes::add).start();
    }

    private List<Read> later() {
        return world.network.reads.subList(2, world.network.reads.size());
    }

    private static void answer(Read read, long version) {
        read.answer(read.actors().stream()
                .map(actor -> new ReadReply.Part(List.of(actor), Bytes.utf8("v"), List.of(version)))
                .toArray(ReadReply.Part[]::new));
    }

    private Outcome<QueryResult> value(int number) {
        return outcomes.get(number);
    }

    private ErrorCode error() {
        return ((Outcome.Err<QueryResult>) outcomes.get(outcomes.size() - 1))
                .error()
                .code();
    }
}
