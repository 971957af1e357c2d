package io.uniserve.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.provider.InterruptionNotifier.Notice;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class InterruptionWatcherTest {
    private static final Notice NOTICE = new Notice("terminate", Instant.parse("2026-11-29T08:22:00Z"));

    private final Logger logger = (Logger) LoggerFactory.getLogger(InterruptionWatcher.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final TestingTimers timers = new TestingTimers();
    private final Deque<Completion<Optional<Notice>>> polls = new ArrayDeque<>();
    private final List<Notice> notices = new ArrayList<>();
    private int closes;
    private final InterruptionWatcher watcher =
            new InterruptionWatcher(polls::add, timers, notices::add, () -> closes++);

    @BeforeEach
    void capture() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void release() {
        logger.detachAppender(log);
    }

    private void answer(Optional<Notice> notice) {
        polls.remove().done(Outcome.ok(notice));
    }

    private void fail(String reason) {
        polls.remove().done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, reason)));
    }

    /** Warnings of this test; servers of other tests log at the same time. */
    private List<String> warnings() {
        return log.list.stream()
                .filter(event -> event.getLevel().equals(Level.WARN))
                .filter(event ->
                        event.getThreadName().equals(Thread.currentThread().getName()))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void pollsEveryFiveSecondsUntilTheFirstNotice() {
        watcher.start();
        for (int i = 0; i < 3; i++) {
            answer(Optional.empty());
            assertThat(polls).isEmpty();
            timers.fire();
        }
        assertThat(timers.delays).hasSize(3).containsOnly(5_000_000_000L);
        assertThat(watcher.notices()).isZero();
        assertThat(notices).isEmpty();
        answer(Optional.of(NOTICE));
        assertThat(notices).containsExactly(NOTICE);
        assertThat(watcher.notices()).isEqualTo(1);
        assertThat(timers.pending()).as("no poll after the notice").isZero();
        assertThat(warnings()).hasSize(1).first().asString().contains("terminate at 2026-11-29T08:22:00Z");
    }

    @Test
    void aSourceThatFailsIsPolledFurtherWithOneWarning() {
        watcher.start();
        for (int i = 1; i <= 4; i++) {
            fail("no answer " + i);
            assertThat(watcher.failures()).isEqualTo(i);
            timers.fire();
        }
        assertThat(warnings()).hasSize(1).first().asString().contains("no answer 1");
        answer(Optional.empty());
        assertThat(watcher.failures()).isZero();
        timers.fire();
        fail("no answer again");
        assertThat(warnings()).hasSize(2);
        timers.fire();
        answer(Optional.of(NOTICE));
        assertThat(notices).containsExactly(NOTICE);
    }

    @Test
    void aClosedWatcherIgnoresLateAnswersAndTimers() {
        watcher.start();
        watcher.close();
        answer(Optional.of(NOTICE));
        assertThat(notices).isEmpty();
        assertThat(timers.pending()).isZero();
        assertThat(closes).isEqualTo(1);

        InterruptionWatcher second = new InterruptionWatcher(polls::add, timers, notices::add, () -> closes++);
        second.start();
        fail("no answer");
        second.close();
        timers.fire();
        assertThat(polls).isEmpty();
    }
}
