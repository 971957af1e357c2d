package io.uniserve.protocol.transaction.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.BatchRows;
import io.uniserve.protocol.message.PeerRequest.Decide;
import io.uniserve.protocol.message.PeerRequest.Prepare;
import io.uniserve.protocol.message.VersionParticipants;
import io.uniserve.protocol.message.client.StagedRowsRef;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateReply.ActorStaged;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Staged rows of large updates: their lookup by PREPARE, their lifetime, and their limits. */
class StagedRowStoreTest {
    private static final TableName TABLE = new TableName("t");
    private static final Bytes LARGE = Bytes.wrap(new byte[Limits.BATCH_BYTES_MAX]);

    private long now = 1;
    private final StagedRowStore stage = new StagedRowStore(
            () -> now, table -> IntStream.range(0, 50).boxed().collect(Collectors.toSet()));

    private static ActorRows rows(int actor, String text) {
        return new ActorRows(actor, 0, Bytes.utf8(text));
    }

    private Outcome<UpdateReply> keep(long id, ActorRows... rows) {
        RequestId request = new RequestId(1, 1, id);
        return stage.stage(
                new UpdateRequest(TABLE, 7, request, 3, 1, AckLevel.ISR, "f@1", List.of(rows), 1_000_000, true));
    }

    private static StagedRowsRef staged(Outcome<UpdateReply> outcome, int place) {
        return ((Outcome.Ok<UpdateReply>) outcome).value().staged().get(place).rows();
    }

    private static ErrorCode error(Outcome<UpdateReply> outcome) {
        return ((Outcome.Err<UpdateReply>) outcome).error().code();
    }

    private static BatchRows batch(long id, StagedRowsRef rows) {
        return new BatchRows(new RequestId(1, 1, id), "f@1", Bytes.EMPTY, rows);
    }

    private List<String> prepared(int actor, long version, BatchRows... batches) {
        VersionParticipants one = VersionParticipants.counted(1);
        Prepare prepare =
                new Prepare(TABLE, new ReplicaKey(7, actor), 1, version, 0, one, List.of(batches), Optional.empty());
        return stage.fillPrepare(prepare).batches().stream()
                .map(batch -> batch.rows().utf8())
                .toList();
    }

    @Test
    void aPrepareFindsItsRows() {
        Outcome<UpdateReply> kept = keep(1, rows(0, "a"), rows(1, "bb"));
        assertThat(((Outcome.Ok<UpdateReply>) kept).value().staged())
                .extracting(ActorStaged::actor)
                .containsExactly(0, 1);
        assertThat(staged(kept, 1).bytes()).isEqualTo(2);
        BatchRows direct = new BatchRows(new RequestId(1, 1, 9), "f@1", Bytes.utf8("direct"));
        assertThat(prepared(0, 5, direct, batch(1, staged(kept, 0))))
                .as("in its order")
                .containsExactly("direct", "a");
        assertThat(prepared(1, 5, batch(1, staged(kept, 1)))).containsExactly("bb");
    }

    @Test
    void rowsOfOthersAreNotTaken() {
        StagedRowsRef a = staged(keep(1, rows(0, "a")), 0);
        StagedRowsRef other = staged(keep(1, rows(0, "b")), 0);
        assertThat(prepared(0, 5, batch(1, a))).containsExactly("a");
        assertThat(prepared(0, 5, batch(1, other))).as("another content").containsExactly("b");
        assertThat(prepared(1, 5, batch(1, a))).as("another actor").isEmpty();
        assertThat(prepared(0, 5, batch(2, a))).as("another request").isEmpty();
        assertThat(prepared(0, 5, batch(1, a), batch(2, a))).as("all or none").isEmpty();
    }

    @Test
    void theyStayUntilTheyAreCommitted() {
        StagedRowsRef a = staged(keep(1, rows(0, "a")), 0);
        assertThat(prepared(0, 5, batch(1, a))).containsExactly("a");
        decide(5, false);
        assertThat(prepared(0, 6, batch(1, a))).as("aborted, and tried again").containsExactly("a");
        decide(5, true);
        decide(7, true);
        assertThat(stage.bytes()).isEqualTo(1 + StagedRowStore.ENTRY_BYTES);
        decide(6, true);
        assertThat(stage.bytes()).isZero();
        assertThat(stage.isEmpty()).isTrue();
    }

    private void decide(long version, boolean commit) {
        stage.onDecision(new Decide(TABLE, new ReplicaKey(7, 0), version, commit));
    }

    @Test
    void whatNobodyAsksForIsLetGo() {
        StagedRowsRef a = staged(keep(1, rows(0, "a")), 0);
        now += (Limits.STAGED_ROWS_IDLE_MS - 1) * 1_000_000;
        assertThat(prepared(0, 5, batch(1, a))).hasSize(1);
        now += (Limits.STAGED_ROWS_IDLE_MS - 1) * 1_000_000;
        stage.expire();
        assertThat(stage.bytes()).isEqualTo(1 + StagedRowStore.ENTRY_BYTES);
        now += 1_000_000;
        stage.expire();
        assertThat(stage.bytes()).isZero();
    }

    @Test
    void onlyAPrimaryKeepsRows() {
        assertThat(error(keep(1, rows(0, "a"), rows(50, "b")))).isEqualTo(ErrorCode.NOT_PRIMARY);
        assertThat(stage.isEmpty()).as("all or none").isTrue();
    }

    @Test
    void rowsOfOneRequestStayTogether() {
        StagedRowsRef a = staged(keep(1, rows(0, "a")), 0);
        now += (Limits.STAGED_ROWS_IDLE_MS - 1) * 1_000_000;
        keep(1, rows(1, "b"));
        now += (Limits.STAGED_ROWS_IDLE_MS - 1) * 1_000_000;
        stage.expire();
        assertThat(prepared(0, 5, batch(1, a))).as("the rest took its time").containsExactly("a");
    }

    @Test
    void anotherSizeIsAnotherContent() {
        StagedRowsRef a = staged(keep(1, rows(0, "aa")), 0);
        assertThat(prepared(0, 5, batch(1, new StagedRowsRef(1, a.sha256())))).isEmpty();
    }

    @Test
    void theirBytesAreBounded() {
        int fit = (int) (Limits.STAGED_ROWS_BYTES_MAX / Limits.BATCH_BYTES_MAX);
        for (int i = 0; i < fit; i++) {
            keep(i, new ActorRows(i, 0, LARGE));
        }
        long bytes = stage.bytes();
        keep(0, new ActorRows(0, 0, LARGE));
        assertThat(stage.bytes()).as("sent again").isEqualTo(bytes);
        assertThat(error(keep(fit, new ActorRows(0, 0, LARGE)))).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        assertThat(stage.bytes()).isEqualTo(bytes);
        assertThat(error(keep(0, new ActorRows(40, 0, LARGE)))).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        assertThat(stage.bytes())
                .as("what it had is given up, so that another one has room")
                .isLessThan(bytes);
        assertThat(keep(fit, new ActorRows(0, 0, LARGE))).isInstanceOf(Outcome.Ok.class);
    }

    @Test
    void rowsOfFewBytesAreBoundedToo() {
        long id = 0;
        while (keep(id, rows(0, "a")) instanceof Outcome.Ok) {
            id++;
        }
        assertThat(id).isEqualTo(Limits.STAGED_ROWS_BYTES_MAX / (1 + StagedRowStore.ENTRY_BYTES));
    }
}
