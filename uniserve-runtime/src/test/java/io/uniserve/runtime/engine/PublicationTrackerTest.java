package io.uniserve.runtime.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PublicationTrackerTest {
    private static final long UNREAD = Limits.UNPUBLISHED_UNREAD_MS * 1_000_000;

    private final List<String> events = new ArrayList<>();
    private final PublicationTracker publication = new PublicationTracker(self -> events.add("ask"));

    @Test
    void nothingIsToBePublishedBeforeAnUpdate() {
        assertThat(publication.complete()).isTrue();
        publication.changed();
        assertThat(publication.complete()).isFalse();
        publication.done();
        assertThat(publication.complete()).isTrue();
    }

    @Test
    void oneIsAskedForAllWhoWait() {
        publication.changed();
        publication.await(() -> events.add("first"));
        publication.await(() -> events.add("second"));
        assertThat(events).containsExactly("ask");
        publication.done();
        publication.end();
        assertThat(events).containsExactly("ask", "first", "second");
    }

    @Test
    void whoComesAfterTheEndAsksAnew() {
        publication.await(() -> events.add("first"));
        publication.end();
        publication.await(() -> events.add("second"));
        assertThat(events).containsExactly("ask", "first", "ask");
        publication.end();
        publication.end();
        assertThat(events).containsExactly("ask", "first", "ask", "second");
    }

    @Test
    void aReaderCountsForAWhile() {
        assertThat(publication.readLately(0)).isFalse();
        publication.idle();
        assertThat(publication.readLately(0)).isFalse();
        publication.complete();
        assertThat(publication.readLately(10)).isTrue();
        assertThat(publication.readLately(10 + UNREAD - 1)).isTrue();
        assertThat(publication.readLately(10 + UNREAD)).isFalse();
        publication.complete();
        assertThat(publication.readLately(10 + 2 * UNREAD)).isTrue();
    }
}
