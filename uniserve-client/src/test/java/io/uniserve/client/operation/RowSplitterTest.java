package io.uniserve.client.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Partitioner;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.client.update.Update.ActorBatch;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RowSplitterTest {
    @Test
    void rowsOfAnActorStayInOrderAcrossBatches() {
        RowSplitter<Document> splitter = new RowSplitter<>(new Partitioner.Hash(1), Document.CODEC);
        String filler = "x".repeat(Limits.ROW_BYTES_MAX - 100);
        for (long i = 0; i < 7; i++) {
            splitter.add(new Document("id", Map.of("id", i, "text", filler)));
        }
        List<List<ActorBatch>> steps = splitter.steps();
        assertThat(steps).hasSizeGreaterThan(2);
        List<Object> ids = new ArrayList<>();
        for (List<ActorBatch> step : steps) {
            ActorBatch batch = step.get(0);
            List<Document> rows = Codecs.list(Document.CODEC).decode(batch.rows());
            assertThat(rows).hasSize(batch.count());
            rows.forEach(row -> ids.add(row.fields().get("id")));
        }
        assertThat(ids).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);
    }

    @Test
    void numbersAreTextsWherePortsHaveTextsAsKeys() {
        RowSplitter<Document> texts = new RowSplitter<>(new Partitioner.Hash(9), Document.CODEC);
        RowSplitter<Document> numbers = new RowSplitter<>(new Partitioner.Hash(9), Document.CODEC, true, List::of, 0);
        for (long i = -3; i < 30; i++) {
            texts.add(new Document("id", Map.of("id", String.valueOf(i), "n", i)));
            numbers.add(new Document("id", Map.of("id", i, "n", i)));
        }
        assertThat(numbers.steps()).isEqualTo(texts.steps());
    }

    @Test
    void oneStepHoldsABatchOfEveryActor() {
        RowSplitter<Document> splitter = new RowSplitter<>(new Partitioner.Hash(4), Document.CODEC);
        for (long i = 0; i < 100; i++) {
            splitter.add(new Document("id", Map.of("id", i)));
        }
        assertThat(splitter.steps())
                .singleElement()
                .satisfies(
                        step -> assertThat(step).extracting(ActorBatch::actor).containsExactly(0, 1, 2, 3));
    }

    @Test
    void rowsForAllActorsMakeTheirChunk() {
        Partitioner.Time days = new Partitioner.Time(
                "ts",
                new ChunkCalendar(IsoPeriod.parse("chunk", "P1D"), ZoneOffset.UTC),
                2,
                Optional.empty(),
                IsoPeriod.parse("ahead", "P1D"));
        int first = days.firstActor(days.chunks().ordinalOf(0));
        RowSplitter<Document> splitter = new RowSplitter<>(days, Document.CODEC, false, () -> List.of(7), 0);
        splitter.addToAllActors(new Document("id", Map.of("id", "any", "interval", "1970-01-01/1970-01-02")));
        assertThat(splitter.actors()).containsExactly(7);
        splitter.addToAllActors(new Document("id", Map.of("id", "a", "ts", "1970-01-01")));
        assertThat(splitter.actors()).containsExactly(7, first, first + 1);
        assertThatThrownBy(() -> splitter.addToAllActors(new Document("id", Map.of("id", "a", "ts", "1970-02-01"))))
                .hasMessageContaining("row 2")
                .hasMessageContaining("in the future");
    }

    @Test
    void rowsAboveTheLimitAreNamed() {
        RowSplitter<Document> splitter = new RowSplitter<>(new Partitioner.Hash(1), Document.CODEC);
        splitter.add(new Document("id", Map.of("id", "a")));
        Document big = new Document("id", Map.of("id", "b", "text", "x".repeat(Limits.ROW_BYTES_MAX)));
        assertThatThrownBy(() -> splitter.add(big)).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE);
            assertThat(e).hasMessageContaining("row 1");
        });
    }

    @Test
    void noRowsNoSteps() {
        assertThat(new RowSplitter<>(new Partitioner.Hash(4), Document.CODEC).steps())
                .isEmpty();
    }

    @Test
    void rowsBeyondTheCountLimitMakeAnotherStep() {
        RowSplitter<Document> splitter = new RowSplitter<>(new Partitioner.Hash(1), Document.CODEC);
        for (long i = 0; i <= Limits.BATCH_ROWS_MAX; i++) {
            splitter.add(new Document("id", Map.of("id", i)));
        }
        assertThat(splitter.steps()).extracting(step -> step.get(0).count()).containsExactly(Limits.BATCH_ROWS_MAX, 1);
    }
}
