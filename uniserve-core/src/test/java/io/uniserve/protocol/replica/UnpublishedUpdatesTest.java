package io.uniserve.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.limit.Limits;
import org.junit.jupiter.api.Test;

class UnpublishedUpdatesTest {
    private static final long QUIET = Limits.UNPUBLISHED_QUIET_MS * 1_000_000;

    private final UnpublishedUpdates unpublished = new UnpublishedUpdates();

    @Test
    void itRestsWhenNoMoreFollows() {
        assertThat(unpublished.rested(QUIET)).isFalse();
        unpublished.add(5);
        unpublished.appliedAt(10);
        assertThat(unpublished.any()).isTrue();
        assertThat(unpublished.rested(9 + QUIET)).isFalse();
        unpublished.appliedAt(20);
        assertThat(unpublished.rested(10 + QUIET)).isFalse();
        assertThat(unpublished.rested(20 + QUIET)).isTrue();
        unpublished.none();
        assertThat(unpublished.any()).isFalse();
        assertThat(unpublished.rested(20 + QUIET)).isFalse();
    }

    @Test
    void muchIsNotLeft() {
        int half = (int) (Limits.UNPUBLISHED_BYTES_MAX / 2);
        unpublished.add(half);
        assertThat(unpublished.tooMany()).isFalse();
        unpublished.add(half);
        assertThat(unpublished.tooMany()).isTrue();
        unpublished.none();
        unpublished.add(half);
        assertThat(unpublished.tooMany()).isFalse();
    }

    @Test
    void whatAnEngineWasLostWithIsPublishedOneRunAtATime() {
        unpublished.lost(7);
        assertThat(unpublished.doubtful(0)).isFalse();
        unpublished.add(1);
        unpublished.lost(7);
        assertThat(unpublished.any()).isFalse();
        assertThat(unpublished.doubtful(0)).isTrue();
        assertThat(unpublished.doubtful(6)).isTrue();
        assertThat(unpublished.doubtful(7)).isFalse();
        unpublished.add(1);
        unpublished.lost(3);
        assertThat(unpublished.doubtful(6)).isTrue();
    }
}
