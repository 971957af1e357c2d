package io.uniserve.runtime.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PublicationTrackerTest {
    private static final long UNREAD = Limits.UNPUBLISHED_UNREAD_MS * 1_000_000;

    private final List<String> events = new ArrayList<>();
    private final PublicationTracker publicationTracker = new PublicationTracker(self -> events.add("ask"));

    @Test
    void nothingIsToBePublishedBeforeAnUpdate() {
        assertThat(publicationTracker.isComplete()).isTrue();
        publicationTracker.onApplied();
        assertThat(publicationTracker.isComplete()).isFalse();
        publicationTracker.onPublished();
        assertThat(publicationTracker.isComplete()).isTrue();
    }

    @Test
    void oneIsAskedForAllWhoWait() {
        publicationTracker.onApplied();
        publicationTracker.awaitPublication(() -> events.add("first"));
        publicationTracker.awaitPublication(() -> events.add("second"));
        assertThat(events).containsExactly("ask");
        publicationTracker.onPublished();
        publicationTracker.endPublication();
        assertThat(events).containsExactly("ask", "first", "second");
    }

    @Test
    void whoComesAfterTheEndAsksAnew() {
        publicationTracker.awaitPublication(() -> events.add("first"));
        publicationTracker.endPublication();
        publicationTracker.awaitPublication(() -> events.add("second"));
        assertThat(events).containsExactly("ask", "first", "ask");
        publicationTracker.endPublication();
        publicationTracker.endPublication();
        assertThat(events).containsExactly("ask", "first", "ask", "second");
    }

    @Test
    void aReaderCountsForAWhile() {
        assertThat(publicationTracker.isReadRecently(0)).isFalse();
        publicationTracker.isIdle();
        assertThat(publicationTracker.isReadRecently(0)).isFalse();
        publicationTracker.isComplete();
        assertThat(publicationTracker.isReadRecently(10)).isTrue();
        assertThat(publicationTracker.isReadRecently(10 + UNREAD - 1)).isTrue();
        assertThat(publicationTracker.isReadRecently(10 + UNREAD)).isFalse();
        publicationTracker.isComplete();
        assertThat(publicationTracker.isReadRecently(10 + 2 * UNREAD)).isTrue();
    }
}
