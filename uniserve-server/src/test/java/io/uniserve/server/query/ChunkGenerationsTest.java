package io.uniserve.server.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.TableName;
import org.junit.jupiter.api.Test;

/** Chunks that one attempt of a plan may lack. */
class ChunkGenerationsTest {
    private static final TableName TABLE = new TableName("t");
    private static final TableName OTHER = new TableName("u");

    private final ChunkGenerations generations = new ChunkGenerations();

    @Test
    void aLaterGenerationOfAServerMakesTheChoiceStale() {
        generations.onChosen(TABLE, 3);
        assertThat(generations.unconfirmed()).containsExactly(TABLE);
        generations.onRead(TABLE, 3);
        assertThat(generations.stale()).isEmpty();
        generations.onRead(TABLE, 4);
        assertThat(generations.stale()).containsExactly(TABLE);
    }

    @Test
    void anExpiryBetweenTwoReadsOfATableIsNoticed() {
        generations.onVersionedRead(TABLE, 5);
        generations.onVersionedRead(OTHER, 5);
        assertThat(generations.expired(table -> 6)).as("one read each").isEmpty();
        generations.onVersionedRead(TABLE, 6);
        assertThat(generations.expired(table -> 5)).isEmpty();
        assertThat(generations.expired(table -> 6)).containsExactly(TABLE);
        generations.clear();
        assertThat(generations.expired(table -> 6)).isEmpty();
    }
}
