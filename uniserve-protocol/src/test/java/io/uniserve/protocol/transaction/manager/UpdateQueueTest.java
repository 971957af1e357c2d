package io.uniserve.protocol.transaction.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.client.StagedRowsRef;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Limits of the updates that wait at a manager: number and bytes. */
class UpdateQueueTest {
    private static final TableName TABLE = new TableName("t");
    private static final Bytes LARGE = Bytes.wrap(new byte[Limits.BATCH_BYTES_MAX]);
    private static final int FIT = (int) (Limits.ATOMIC_UPDATES_WAITING_BYTES_MAX / Limits.BATCH_BYTES_MAX);

    private final UpdateQueue waiting = new UpdateQueue();

    private static QueuedUpdate update(long id, Bytes... rows) {
        List<ActorRows> actors = IntStream.range(0, rows.length)
                .mapToObj(actor -> new ActorRows(actor, 0, rows[actor]))
                .toList();
        return of(id, actors);
    }

    private static QueuedUpdate of(long id, List<ActorRows> actors) {
        UpdateRequest request =
                new UpdateRequest(TABLE, 1, new RequestId(1, 2, id), 0, 1, AckLevel.ISR, "f@1", actors, 1_000);
        return new QueuedUpdate(request, "", 0);
    }

    private boolean fits(QueuedUpdate update) {
        return waiting.capacityError(TABLE, update, 0, 0) == null;
    }

    @Test
    void whatHasItsOutcomeMakesRoom() {
        for (int i = 0; i < FIT; i++) {
            assertThat(fits(update(i, LARGE))).isTrue();
            waiting.put(update(i, LARGE));
        }
        waiting.put(update(0, LARGE));
        assertThat(fits(update(9, LARGE))).isFalse();
        assertThat(waiting.capacityError(TABLE, update(9, LARGE), 0, 0))
                .satisfies(error -> assertThat(error.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
                .hasMessageContaining("table t")
                .hasMessageContaining("slow down");
        assertThat(fits(update(9, Bytes.utf8("small")))).isTrue();
        waiting.remove(update(0, LARGE));
        waiting.remove(update(0, LARGE));
        assertThat(fits(update(9, LARGE))).isTrue();
        waiting.put(update(9, LARGE));
        assertThat(fits(update(10, LARGE))).isFalse();
        assertThat(waiting.clear()).hasSize(FIT);
        assertThat(fits(update(10, LARGE))).isTrue();
    }

    @Test
    void whatWaitsForDurableStorageCounts() {
        assertThat(waiting.capacityError(TABLE, update(1, LARGE), 1, Limits.ATOMIC_UPDATES_WAITING_BYTES_MAX))
                .isNotNull();
        assertThat(waiting.capacityError(TABLE, update(1, Bytes.EMPTY), Limits.ATOMIC_UPDATES_WAITING_MAX, 0))
                .isNotNull();
    }

    @Test
    void whoComesAgainIsToldAndAnotherContentIsNot() {
        QueuedUpdate before = update(1, Bytes.utf8("rows"));
        QueuedUpdate again = update(1, Bytes.utf8("rows"));
        waiting.put(again);
        assertThat(waiting.current(before)).isSameAs(again);
        QueuedUpdate other = new QueuedUpdate(again.request, "another", 0);
        assertThat(waiting.current(other)).isSameAs(other);
        waiting.remove(other);
        assertThat(waiting.isEmpty()).isFalse();
        waiting.remove(before);
        assertThat(waiting.isEmpty()).isTrue();
    }

    /** Otherwise it could never start while other updates wait. */
    @Test
    void rowsThatAreStagedElsewhereTakeNoRoom() {
        StagedRowsRef elsewhere = new StagedRowsRef(Limits.BATCH_BYTES_MAX, "0".repeat(64));
        QueuedUpdate huge = of(
                1,
                IntStream.range(0, 5)
                        .mapToObj(actor -> new ActorRows(actor, 0, Bytes.EMPTY, elsewhere))
                        .toList());
        waiting.put(update(2, LARGE));
        assertThat(fits(huge)).isTrue();
        waiting.put(huge);
        assertThat(fits(update(3, LARGE))).isTrue();
        assertThat(huge.bytes).isEqualTo(5L * Limits.BATCH_BYTES_MAX);
    }
}
