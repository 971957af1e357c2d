package io.uniserve.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.limit.Limits;
import org.junit.jupiter.api.Test;

class UnpublishedUpdatesTest {
    private static final long QUIET = Limits.UNPUBLISHED_QUIET_MS * 1_000_000;

    private final UnpublishedUpdates unpublishedUpdates = new UnpublishedUpdates();

    @Test
    void itRestsWhenNoMoreFollows() {
        assertThat(unpublishedUpdates.rested(QUIET)).isFalse();
        unpublishedUpdates.add(5);
        unpublishedUpdates.appliedAt(10);
        assertThat(unpublishedUpdates.any()).isTrue();
        assertThat(unpublishedUpdates.rested(9 + QUIET)).isFalse();
        unpublishedUpdates.appliedAt(20);
        assertThat(unpublishedUpdates.rested(10 + QUIET)).isFalse();
        assertThat(unpublishedUpdates.rested(20 + QUIET)).isTrue();
        unpublishedUpdates.none();
        assertThat(unpublishedUpdates.any()).isFalse();
        assertThat(unpublishedUpdates.rested(20 + QUIET)).isFalse();
    }

    @Test
    void muchIsNotLeft() {
        int half = (int) (Limits.UNPUBLISHED_BYTES_MAX / 2);
        unpublishedUpdates.add(half);
        assertThat(unpublishedUpdates.tooMany()).isFalse();
        unpublishedUpdates.add(half);
        assertThat(unpublishedUpdates.tooMany()).isTrue();
        unpublishedUpdates.none();
        unpublishedUpdates.add(half);
        assertThat(unpublishedUpdates.tooMany()).isFalse();
    }

    @Test
    void whatAnEngineWasLostWithIsPublishedOneRunAtATime() {
        unpublishedUpdates.lost(7);
        assertThat(unpublishedUpdates.doubtful(0)).isFalse();
        unpublishedUpdates.add(1);
        unpublishedUpdates.lost(7);
        assertThat(unpublishedUpdates.any()).isFalse();
        assertThat(unpublishedUpdates.doubtful(0)).isTrue();
        assertThat(unpublishedUpdates.doubtful(6)).isTrue();
        assertThat(unpublishedUpdates.doubtful(7)).isFalse();
        unpublishedUpdates.add(1);
        unpublishedUpdates.lost(3);
        assertThat(unpublishedUpdates.doubtful(6)).isTrue();
    }
}
