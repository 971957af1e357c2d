package io.uniserve.protocol.tx;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.UpdateRequest.ActorRows;
import io.uniserve.protocol.message.UpdateRequest.Piece;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pieces of large updates at their driver: which belong together, and what they may take. */
class StagedUpdatesTest {
    private static final Outcome<UpdateReply> NEXT = Outcome.ok(new UpdateReply(List.of(), List.of()));
    private static final Bytes LARGE = Bytes.wrap(new byte[Limits.BATCH_BYTES_MAX]);

    private final List<UpdateRequest> driven = new ArrayList<>();
    private final List<Completion<UpdateReply>> ends = new ArrayList<>();
    private long now = 1;
    private final StagedUpdates staged = new StagedUpdates(() -> now, (update, sha256, completion) -> {
        driven.add(update);
        ends.add(completion);
    });

    private static ActorRows rows(int actor, String text) {
        return new ActorRows(actor, 0, Bytes.utf8(text));
    }

    private static String hash(ActorRows... all) {
        return new ContentHash(7, "f@1").add(List.of(all)).hex();
    }

    private List<Outcome<UpdateReply>> take(long id, String function, Piece piece, ActorRows... rows) {
        List<Outcome<UpdateReply>> outcome = new ArrayList<>();
        UpdateRequest request = new UpdateRequest(
                new TableName("t"),
                7,
                new RequestId(1, 1, id),
                3,
                1,
                AckLevel.ISR,
                function,
                List.of(rows),
                1_000_000,
                piece);
        staged.take(request, outcome::add);
        return outcome;
    }

    private List<Outcome<UpdateReply>> take(long id, Piece piece, ActorRows... rows) {
        return take(id, "f@1", piece, rows);
    }

    private static ErrorCode error(List<Outcome<UpdateReply>> outcome) {
        return ((Outcome.Err<UpdateReply>) outcome.get(0)).error().code();
    }

    @Test
    void thePiecesAreOneUpdate() {
        ActorRows a = rows(0, "a");
        ActorRows b = rows(1, "b");
        ActorRows c = rows(2, "c");
        String all = hash(a, b, c);
        assertThat(take(1, new Piece(0, 2, all), a, b)).containsExactly(NEXT);
        assertThat(driven).isEmpty();
        assertThat(take(1, new Piece(1, 2, all), c)).isEmpty();
        assertThat(driven).singleElement().satisfies(update -> {
            assertThat(update.actors()).containsExactly(a, b, c);
            assertThat(update.piece().whole()).isTrue();
            assertThat(update.lowWater()).isEqualTo(3);
            assertThat(ContentHash.of(update)).isEqualTo(all);
        });
        assertThat(staged.isEmpty()).isTrue();
        assertThat(staged.bytes()).as("until it has its outcome").isEqualTo(3);
        ends.get(0).done(NEXT);
        assertThat(staged.bytes()).isZero();
    }

    @Test
    void whatComesTwiceIsHeldOnce() {
        ActorRows a = rows(0, "a");
        ActorRows b = rows(1, "b");
        String all = hash(a, b);
        take(1, new Piece(0, 2, all), a);
        assertThat(take(1, new Piece(0, 2, all), a)).containsExactly(NEXT);
        assertThat(staged.bytes()).isOne();
        take(1, new Piece(1, 2, all), b);
        assertThat(driven).hasSize(1);
        assertThat(error(take(1, new Piece(1, 2, all), b))).as("a late copy").isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(driven).hasSize(1);
    }

    @Test
    void withoutTheEarlierOnesAllAreSentAgain() {
        ActorRows a = rows(0, "a");
        ActorRows b = rows(1, "b");
        ActorRows c = rows(2, "c");
        String all = hash(a, b, c);
        assertThat(error(take(1, new Piece(1, 3, all), b))).isEqualTo(ErrorCode.UNAVAILABLE);
        take(1, new Piece(0, 3, all), a);
        assertThat(error(take(1, new Piece(2, 3, all), c))).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(staged.bytes()).isZero();
    }

    @Test
    void piecesOfTwoContentsAreNeverMixed() {
        ActorRows a = rows(0, "a");
        ActorRows b = rows(1, "b");
        ActorRows other = rows(1, "other");
        take(1, new Piece(0, 2, hash(a, b)), a);
        assertThat(error(take(1, new Piece(1, 2, hash(a, other)), other))).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(error(take(1, new Piece(1, 2, hash(a, b)), other))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(driven).isEmpty();
        assertThat(staged.bytes()).isZero();
    }

    @Test
    void theFunctionIsThatOfTheHash() {
        ActorRows a = rows(0, "a");
        ActorRows b = rows(1, "b");
        take(1, new Piece(0, 2, hash(a, b)), a);
        take(1, "g@1", new Piece(1, 2, hash(a, b)), b);
        assertThat(driven).singleElement().extracting(UpdateRequest::function).isEqualTo("f@1");
    }

    @Test
    void anActorIsInOnePiece() {
        ActorRows a = rows(0, "a");
        ActorRows again = rows(0, "b");
        take(1, new Piece(0, 2, hash(a, again)), a);
        assertThat(error(take(1, new Piece(1, 2, hash(a, again)), again))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void whatNobodyGoesOnWithIsLetGo() {
        ActorRows a = rows(0, "a");
        String all = hash(a, rows(1, "b"));
        take(1, new Piece(0, 2, all), a);
        now += (Limits.STAGED_UPDATE_IDLE_MS - 1) * 1_000_000;
        staged.expire();
        assertThat(staged.bytes()).isOne();
        now += 1_000_000;
        staged.expire();
        assertThat(staged.bytes()).isZero();
        assertThat(staged.isEmpty()).isTrue();
    }

    @Test
    void anUpdateAndAllOfThemAreBounded() {
        int pieces = (int) (Limits.ATOMIC_UPDATE_BYTES_MAX / Limits.BATCH_BYTES_MAX);
        String any = "0".repeat(64);
        fill(1, pieces, any);
        assertThat(error(take(1, new Piece(pieces, 100, any), new ActorRows(pieces, 0, LARGE))))
                .isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(staged.bytes()).as("it is given up as a whole").isZero();
        fill(1, pieces, any);
        fill(2, pieces, any);
        assertThat(error(take(3, new Piece(0, 100, any), new ActorRows(0, 0, LARGE))))
                .isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        assertThat(staged.bytes()).isLessThanOrEqualTo(Limits.STAGED_UPDATES_BYTES_MAX);
        now += Limits.STAGED_UPDATE_IDLE_MS * 1_000_000;
        staged.expire();
        assertThat(take(3, new Piece(0, 100, any), new ActorRows(0, 0, LARGE))).containsExactly(NEXT);
    }

    private void fill(long id, int pieces, String sha256) {
        for (int i = 0; i < pieces; i++) {
            assertThat(take(id, new Piece(i, 100, sha256), new ActorRows(i, 0, LARGE)))
                    .containsExactly(NEXT);
        }
    }
}
