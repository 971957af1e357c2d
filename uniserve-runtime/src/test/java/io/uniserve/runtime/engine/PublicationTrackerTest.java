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
        assertThat(publicationTracker.complete()).isTrue();
        publicationTracker.changed();
        assertThat(publicationTracker.complete()).isFalse();
        publicationTracker.done();
        assertThat(publicationTracker.complete()).isTrue();
    }

    @Test
    void oneIsAskedForAllWhoWait() {
        publicationTracker.changed();
        publicationTracker.await(() -> events.add("first"));
        publicationTracker.await(() -> events.add("second"));
        assertThat(events).containsExactly("ask");
        publicationTracker.done();
        publicationTracker.end();
        assertThat(events).containsExactly("ask", "first", "second");
    }

    @Test
    void whoComesAfterTheEndAsksAnew() {
        publicationTracker.await(() -> events.add("first"));
        publicationTracker.end();
        publicationTracker.await(() -> events.add("second"));
        assertThat(events).containsExactly("ask", "first", "ask");
        publicationTracker.end();
        publicationTracker.end();
        assertThat(events).containsExactly("ask", "first", "ask", "second");
    }

    @Test
    void aReaderCountsForAWhile() {
        assertThat(publicationTracker.readLately(0)).isFalse();
        publicationTracker.idle();
        assertThat(publicationTracker.readLately(0)).isFalse();
        publicationTracker.complete();
        assertThat(publicationTracker.readLately(10)).isTrue();
        assertThat(publicationTracker.readLately(10 + UNREAD - 1)).isTrue();
        assertThat(publicationTracker.readLately(10 + UNREAD)).isFalse();
        publicationTracker.complete();
        assertThat(publicationTracker.readLately(10 + 2 * UNREAD)).isTrue();
    }
}
