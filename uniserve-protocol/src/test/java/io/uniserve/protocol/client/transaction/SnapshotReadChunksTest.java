package io.uniserve.protocol.client.transaction;

import static io.uniserve.protocol.client.routing.TestingWorld.MS;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE_ID;
import static io.uniserve.protocol.client.routing.TestingWorld.actor;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.client.routing.TestingWorld;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.StagedRowsRef;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import io.uniserve.protocol.message.client.VersionedRead;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Reads at one version of a TIME table by a map that lacks chunks, or whose chunks expire. */
class SnapshotReadChunksTest {
    private final TestingWorld world = new TestingWorld();
    private final List<Asked> asked = new ArrayList<>();
    private final List<Outcome<SnapshotReadExecution.Result>> outcomes = new ArrayList<>();

    /** A request that waits for its answer. */
    private record Asked(VersionedRead request, Completion<VersionedRead.Reply> completion) {
        List<Integer> actors() {
            return request.targets().stream().map(VersionedRead.Target::actor).toList();
        }

        void answer(long version, long generation) {
            List<VersionedRead.Part> parts = actors().stream()
                    .map(actor -> new VersionedRead.Part(actor, version, Bytes.utf8(actor + "@" + version)))
                    .toList();
            completion.done(Outcome.ok(new VersionedRead.Reply(parts, List.of(), List.of(), List.of(), generation)));
        }

        /** Only this actor has an answer. */
        void answerOne(int actor, long version) {
            List<ActorFailure> failures = actors().stream()
                    .filter(other -> other != actor)
                    .map(other -> new ActorFailure(other, ErrorCode.STALE_EPOCH, "no replica here", 0))
                    .toList();
            VersionedRead.Part part = new VersionedRead.Part(actor, version, Bytes.utf8("part"));
            completion.done(Outcome.ok(new VersionedRead.Reply(List.of(part), failures)));
        }
    }

    private void start(Optional<List<Integer>> actors) {
        Query query = new Query(TABLE, actors, "op@1", Bytes.EMPTY, ReadMode.LINEARIZABLE, world.nanos() + 1_000 * MS);
        SnapshotReadClient network = (to, request, completion) -> {
            asked.add(new Asked(request, completion));
            Timers.Cancel none = () -> {};
            return none;
        };
        new SnapshotReadExecution(world.environment(), network, new VersionWatermarks(), query, outcomes::add).start();
    }

    private Asked last() {
        return asked.get(asked.size() - 1);
    }

    private List<String> values() {
        assertThat(outcomes).hasSize(1);
        return outcomes.get(0).value().values().values().stream().map(Bytes::utf8).toList();
    }

    @Test
    void aReplyOfTheSameGenerationEndsTheRead() {
        world.routeTime(3, 0, actor(5, 1, 1), actor(6, 1, 1));
        start(Optional.empty());
        last().answer(4, 3);
        assertThat(values()).containsExactly("5@4", "6@4");
        assertThat(world.pendingTimers()).isZero();
    }

    /** The version 6 has rows in the new chunk only, and the servers of the other one do not know it yet. */
    @Test
    void aChunkOfANewerMapIsAskedForItsNewestState() {
        world.routeTime(1, 0, actor(5, 1, 1));
        start(Optional.empty());
        last().answer(5, 2);
        assertThat(outcomes).isEmpty();
        world.routeTime(2, 0, actor(5, 1, 1), actor(7, 1, 1));
        assertThat(last().actors()).containsExactly(7);
        assertThat(last().request().isNewest()).isTrue();
        last().answer(6, 2);
        assertThat(last().actors()).containsExactly(5);
        assertThat(last().request().version()).isEqualTo(6);
        last().answer(6, 2);
        assertThat(values()).containsExactly("5@6", "7@6");
        assertThat(outcomes.get(0).value().version()).isEqualTo(6);
        assertThat(world.pendingTimers()).isZero();
        assertThat(world.watcherCount()).isZero();
    }

    @Test
    void aTableWithoutChunksAsksForTheGenerationInZooKeeper() {
        world.routeTime(4, 9);
        start(Optional.empty());
        assertThat(asked).isEmpty();
        world.network.confirmations.get(0).answer(TABLE_ID, 4);
        assertThat(values()).isEmpty();
    }

    @Test
    void chosenActorsAreReadAloneAndTheCallerGetsTheGeneration() {
        world.routeTime(1, 0, actor(5, 1, 1), actor(6, 1, 1));
        start(Optional.of(List.of(6)));
        last().answer(5, 2);
        assertThat(values()).containsExactly("6@5");
        assertThat(outcomes.get(0).value().asQueryResult().generation()).isEqualTo(2);
    }

    @Test
    void aReadIsRepeatedWithoutAChunkThatExpires() {
        world.routeTime(2, 0, actor(5, 1, 1), actor(6, 1, 1));
        start(Optional.empty());
        assertThat(last().actors()).containsExactly(5, 6);
        world.routeTime(2, 6, actor(6, 1, 1));
        last().answerOne(6, 3);
        assertThat(last().actors()).containsExactly(6);
        assertThat(outcomes).isEmpty();
        last().answer(4, 2);
        assertThat(values()).containsExactly("6@4");
    }

    /** No primary stores them. The transaction manager finds out whether an earlier attempt was committed. */
    @Test
    void rowsOfAnExpiredChunkAreNamedByHashAndNotStaged() {
        world.routeTime(1, 5, actor(5, 1, 1));
        RouteIndex index = world.environment().routing().current();
        List<Outcome<List<ActorRows>>> staged = new ArrayList<>();
        Bytes rows = Bytes.utf8("late");
        new RowUploader(
                        world.environment(),
                        some -> {
                            throw new AssertionError("staged: " + some);
                        },
                        staged::add)
                .start(index, index.table(TABLE).orElseThrow(), List.of(new ActorRows(3, 0, rows)), 1, 1_000 * MS);
        ActorRows named = staged.get(0).value().get(0);
        assertThat(named.rows()).isEqualTo(Bytes.EMPTY);
        assertThat(named.staged()).isEqualTo(new StagedRowsRef(4, Sha256.hex(rows)));
    }
}
