package io.uniserve.protocol.client.query;

import static io.uniserve.protocol.client.routing.TestingWorld.MS;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE_ID;
import static io.uniserve.protocol.client.routing.TestingWorld.actor;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.client.routing.TestingWorld;
import io.uniserve.protocol.client.update.TestingClientNetwork.Read;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Queries of a TIME table by a map that lacks chunks. */
class ChunkCoverageTest {
    private final TestingWorld world = new TestingWorld();
    private final List<Outcome<QueryResult>> outcomes = new ArrayList<>();

    private void start(Query query) {
        new QueryExecution(world.environment(), query, outcomes::add).start();
    }

    private Query query(Optional<List<Integer>> actors, ReadMode mode) {
        return new Query(TABLE, actors, "op@1", Bytes.EMPTY, mode, world.nanos() + 1_000 * MS);
    }

    private Query all() {
        return query(Optional.empty(), ReadMode.LINEARIZABLE);
    }

    private List<String> values() {
        assertThat(outcomes).hasSize(1);
        return outcomes.get(0).value().parts().stream().map(Bytes::utf8).toList();
    }

    @Test
    void aReplyOfTheSameGenerationEndsTheQueryWithoutAnotherRequest() {
        world.routeTime(3, 0, actor(5, 1, 1), actor(6, 1, 1));
        start(all());
        world.network.lastRead().answerEach(3);
        assertThat(values()).containsExactly("5", "6");
        assertThat(world.network.reads).hasSize(1);
        assertThat(world.network.confirmations).isEmpty();
        assertThat(world.refreshes).isEmpty();
        assertThat(world.pendingTimers()).isZero();
    }

    @Test
    void aReplyOfALaterGenerationAddsTheChunksOfANewerMap() {
        world.routeTime(3, 0, actor(5, 1, 1));
        start(all());
        world.network.lastRead().answerEach(4);
        assertThat(outcomes).isEmpty();
        world.routeTime(3, 0, actor(5, 2, 1)); // newer, but not new enough
        assertThat(world.network.reads).hasSize(1);
        world.routeTime(4, 0, actor(5, 1, 1), actor(7, 1, 1));
        assertThat(world.network.reads).extracting(Read::actors).containsExactly(List.of(5), List.of(7));
        world.network.lastRead().answerEach(4);
        assertThat(values()).containsExactly("5", "7");
        assertThat(world.pendingTimers()).isZero();
        assertThat(world.watcherCount()).isZero();
    }

    @Test
    void aChoiceIsMadeAgainByTheNewerMap() {
        world.routeTime(3, 0, actor(5, 1, 1));
        start(all().withChoice(route ->
                route.map().numbers().stream().filter(actor -> actor < 7).toList()));
        world.network.lastRead().answerEach(5);
        world.routeTime(5, 0, actor(5, 1, 1), actor(6, 1, 1), actor(7, 1, 1));
        assertThat(world.network.lastRead().actors()).containsExactly(6);
        world.network.lastRead().answerEach(5);
        assertThat(values()).containsExactly("5", "6");
    }

    @Test
    void aQueryWithoutChunksConfirmsItsMap() {
        world.routeTime(3, 0, actor(5, 1, 1));
        start(all().withChoice(route ->
                route.map().numbers().stream().filter(actor -> actor > 5).toList()));
        assertThat(world.network.reads).isEmpty();
        world.network.confirmations.get(0).fail(ErrorCode.UNAVAILABLE);
        assertThat(outcomes).isEmpty();
        world.pass(500 * MS);
        world.network.confirmations.get(1).answer(TABLE_ID, 4);
        assertThat(outcomes).as("its map is not the newest").isEmpty();
        world.routeTime(4, 0, actor(5, 1, 1), actor(9, 1, 1));
        world.network.lastRead().answerEach(4);
        assertThat(values()).containsExactly("9");
    }

    @Test
    void aConfirmedMapWithoutChunksGivesAnEmptyAnswer() {
        world.routeTime(0, 0);
        start(all());
        world.network.confirmations.get(0).answer(TABLE_ID, 0);
        assertThat(values()).isEmpty();
        assertThat(world.pendingTimers()).isZero();
    }

    @Test
    void withoutAConfirmationTheQueryFailsWithTheReason() {
        world.routeTime(0, 0);
        start(all());
        world.network.confirmations.get(0).fail(ErrorCode.UNAVAILABLE);
        world.pass(2_000 * MS);
        assertThat(outcomes).hasSize(1);
        assertThat(outcomes.get(0).error().code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(outcomes.get(0).error().reason()).contains("did not confirm the map");
        assertThat(world.pendingTimers()).isZero();
    }

    @Test
    void staleReadsNeedNoProof() {
        world.routeTime(0, 0);
        start(query(Optional.empty(), ReadMode.STALE));
        assertThat(values()).isEmpty();
        assertThat(world.network.confirmations).isEmpty();
    }

    @Test
    void anActorThatTheMapLacksWaitsForANewerMap() {
        world.routeTime(3, 0, actor(5, 1, 1));
        start(query(Optional.of(List.of(5, 6)), ReadMode.LINEARIZABLE));
        assertThat(world.network.reads).isEmpty();
        world.routeTime(4, 0, actor(5, 1, 1), actor(6, 1, 1));
        world.network.lastRead().answerEach(9);
        assertThat(values()).as("the caller compares generations").containsExactly("5", "6");
        assertThat(outcomes.get(0).value().generation()).isEqualTo(9);
    }

    @Test
    void anActorThatNoMapHasFailsAsRetriableAndAnExpiredOneIsLeftOut() {
        world.routeTime(3, 4, actor(5, 1, 1));
        start(query(Optional.of(List.of(3, 5)), ReadMode.LINEARIZABLE));
        world.network.lastRead().answerEach(3);
        assertThat(values()).containsExactly("5");
        outcomes.clear();
        start(query(Optional.of(List.of(8)), ReadMode.LINEARIZABLE));
        for (int map = 0; map < 20; map++) {
            world.pass(40 * MS);
            world.routeTime(3, 4, actor(5, map + 2, 1));
        }
        assertThat(outcomes).hasSize(1);
        assertThat(outcomes.get(0).error().code()).isEqualTo(ErrorCode.STALE_EPOCH);
        assertThat(ErrorCode.STALE_EPOCH.retriable()).isTrue();
    }
}
