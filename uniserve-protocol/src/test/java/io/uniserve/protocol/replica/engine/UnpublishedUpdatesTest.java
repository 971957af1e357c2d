package io.uniserve.protocol.replica.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.limit.Limits;
import org.junit.jupiter.api.Test;

class UnpublishedUpdatesTest {
    private static final long QUIET = Limits.UNPUBLISHED_QUIET_MS * 1_000_000;

    private final UnpublishedUpdates unpublishedUpdates = new UnpublishedUpdates();

    @Test
    void itRestsWhenNoMoreFollows() {
        assertThat(unpublishedUpdates.isQuiet(QUIET)).isFalse();
        unpublishedUpdates.add(5);
        unpublishedUpdates.onApplied(10);
        assertThat(unpublishedUpdates.hasAny()).isTrue();
        assertThat(unpublishedUpdates.isQuiet(9 + QUIET)).isFalse();
        unpublishedUpdates.onApplied(20);
        assertThat(unpublishedUpdates.isQuiet(10 + QUIET)).isFalse();
        assertThat(unpublishedUpdates.isQuiet(20 + QUIET)).isTrue();
        unpublishedUpdates.clear();
        assertThat(unpublishedUpdates.hasAny()).isFalse();
        assertThat(unpublishedUpdates.isQuiet(20 + QUIET)).isFalse();
    }

    @Test
    void muchIsNotLeft() {
        int half = (int) (Limits.UNPUBLISHED_BYTES_MAX / 2);
        unpublishedUpdates.add(half);
        assertThat(unpublishedUpdates.isOverLimit()).isFalse();
        unpublishedUpdates.add(half);
        assertThat(unpublishedUpdates.isOverLimit()).isTrue();
        unpublishedUpdates.clear();
        unpublishedUpdates.add(half);
        assertThat(unpublishedUpdates.isOverLimit()).isFalse();
    }

    @Test
    void whatAnEngineWasLostWithIsPublishedOneRunAtATime() {
        unpublishedUpdates.onEngineFailed(7);
        assertThat(unpublishedUpdates.mustPublishNow(0)).isFalse();
        unpublishedUpdates.add(1);
        unpublishedUpdates.onEngineFailed(7);
        assertThat(unpublishedUpdates.hasAny()).isFalse();
        assertThat(unpublishedUpdates.mustPublishNow(0)).isTrue();
        assertThat(unpublishedUpdates.mustPublishNow(6)).isTrue();
        assertThat(unpublishedUpdates.mustPublishNow(7)).isFalse();
        unpublishedUpdates.add(1);
        unpublishedUpdates.onEngineFailed(3);
        assertThat(unpublishedUpdates.mustPublishNow(6)).isTrue();
    }
}
