package io.uniserve.protocol.transaction.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.gate.UncommittedClaim;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.transaction.TransactionContext;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Updates of chunks that the manager's map lacks. The table has one bucket, so actors have the numbers of chunks. */
class ChunkAvailabilityTest {
    private static final TableName TABLE = new TableName("t");
    private static final long TABLE_ID = 7;
    private static final ServerId SERVER = new ServerId("s1");

    private final Context context = new Context();
    private final ChunkAvailability chunks = new ChunkAvailability(context, TABLE, TABLE_ID);

    private static QueuedUpdate update(int... actors) {
        UpdateRequest request = new UpdateRequest(
                TABLE,
                TABLE_ID,
                new RequestId(1, 1, actors[0]),
                0,
                1,
                AckLevel.ISR,
                "put@1",
                IntStream.of(actors)
                        .mapToObj(actor -> new UpdateRequest.ActorRows(actor, 0, Bytes.utf8("a")))
                        .toList(),
                1_000);
        return new QueuedUpdate(request, "hash", 1_000);
    }

    @Test
    void anUpdateOfLiveChunksIsAvailable() {
        context.map(0, 5, 6);
        assertThat(chunks.lacksActor(update(5, 6).request)).isFalse();
        assertThat(chunks.errorFor(update(5, 6).request)).isNull();
        assertThat(chunks.needsNewerLog(List.of(update(5)))).isFalse();
        assertThat(context.refreshes).isZero();
    }

    @Test
    void anUpdateOfANewerChunkWaitsForAnotherMap() {
        context.map(0, 5);
        assertThat(chunks.lacksActor(update(5, 6).request)).isTrue();
        assertThat(context.refreshes).isEqualTo(1);
        assertThat(chunks.errorFor(update(5, 6).request)).isNull();
    }

    /** An earlier attempt may have been committed before the expiry, by a manager whose log is not known here. */
    @Test
    void anExpiredChunkIsAnErrorOnceTheLogWasReadAfterTheMap() {
        context.map(5, 5);
        List<QueuedUpdate> updates = List.of(update(4, 5));
        assertThat(chunks.needsNewerLog(updates)).isTrue();
        chunks.onLogRead(4);
        assertThat(chunks.needsNewerLog(updates)).as("the map was older then").isTrue();
        chunks.onLogRead(chunks.watermark());
        assertThat(chunks.needsNewerLog(updates)).isFalse();
        Transaction.ParticipantError error = Objects.requireNonNull(chunks.errorFor(updates.get(0).request));
        assertThat(error.code()).isEqualTo(ErrorCode.CHUNK_EXPIRED);
        assertThat(chunks.lacksActor(updates.get(0).request)).isTrue();
        assertThat(context.refreshes).as("no newer map has it").isZero();
        context.map(6, 6);
        assertThat(chunks.needsNewerLog(List.of(update(5)))).as("the next expiry").isTrue();
        assertThat(chunks.needsNewerLog(List.of(update(6)))).as("others need nothing").isFalse();
    }

    @Test
    void anotherTableOfTheNameHasOtherChunks() {
        context.map(5, 5);
        ChunkAvailability former = new ChunkAvailability(context, TABLE, TABLE_ID - 1);
        assertThat(former.needsNewerLog(List.of(update(4)))).isFalse();
        assertThat(former.errorFor(update(4).request)).isNull();
    }

    /** A server with the map of one table. */
    private static final class Context implements TransactionContext {
        private @Nullable Table table;
        private int refreshes;

        private void map(int expiredBefore, int... actors) {
            Partitioner.Time days = new Partitioner.Time(
                    "ts",
                    new ChunkCalendar(IsoPeriod.parse("chunk", "P1D"), ZoneOffset.UTC),
                    1,
                    Optional.of(IsoPeriod.parse("retention", "P9D")),
                    IsoPeriod.parse("ahead", "P1D"));
            TableMeta meta = new TableMeta(
                    TABLE, TABLE_ID, days, "id", ConsistencyLevel.SERIALIZABLE, 1, 1, OnLoss.WAIT, "kv", Map.of());
            List<ActorState> states = IntStream.of(actors)
                    .mapToObj(actor -> new ActorState(
                            actor, 1, SERVER, List.of(SERVER), List.of(), List.of(), List.of(SERVER), Map.of(), 0))
                    .toList();
            table = new Table(meta, new TableMap(TABLE, TABLE_ID, states, expiredBefore, 1), 1);
        }

        @Override
        public @Nullable Table table(TableName name) {
            return table;
        }

        @Override
        public void refresh(TableName name) {
            refreshes++;
        }

        @Override
        public Environment env() {
            throw unused();
        }

        @Override
        public ServerId self() {
            return SERVER;
        }

        @Override
        public @Nullable Address addressOf(ServerId server) {
            return null;
        }

        @Override
        public List<Replica> replicas(long tableId) {
            return List.of();
        }

        @Override
        public @Nullable ReadGate gate(ReplicaKey key) {
            return null;
        }

        @Override
        public void publishDecidedVersion(long tableId, long version) {
            throw unused();
        }

        @Override
        public void publishUncommittedClaim(long tableId, UncommittedClaim uncommittedClaim) {
            throw unused();
        }

        @Override
        public void onLogWritten(TableName table) {
            throw unused();
        }

        private static UniserveException unused() {
            return new UniserveException(ErrorCode.INTERNAL, "not used here");
        }
    }
}
