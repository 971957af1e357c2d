package io.uniserve.runtime.transport.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.audit.AuditEvent;
import io.uniserve.runtime.audit.AuditLog;
import io.uniserve.runtime.audit.AuditOptions;
import io.uniserve.runtime.audit.AuditRecord;
import io.uniserve.runtime.audit.AuditTail;
import io.uniserve.runtime.time.SystemClock;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Refusals in the audit log: as many per caller and minute as the limit, and the number of the others. */
class RefusalLogLimiterTest {
    private static final int MOST = Limits.AUDIT_REFUSALS_PER_MINUTE_MAX;
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - MINUTE / 2); // wraps around soon, as nanoTime may
    private final Clock clock = nanos::get;

    @Test
    void theFirstRefusalsOfACallerAreWrittenAndTheOthersCounted() {
        RefusalLogLimiter limiter = new RefusalLogLimiter(clock);
        for (int i = 0; i < MOST; i++) {
            assertThat(limiter.count("user/ann", "/10.0.0.1:" + i)).isEqualTo(RefusalLogLimiter.RefusalDecision.WRITE);
        }
        assertThat(limiter.count("user/ann", "/10.0.0.1:9"))
                .isEqualTo(RefusalLogLimiter.RefusalDecision.SUPPRESS_FIRST);
        assertThat(limiter.count("user/ann", "/10.0.0.1:9")).isEqualTo(RefusalLogLimiter.RefusalDecision.SUPPRESS);
        assertThat(limiter.count("user/bob", "/10.0.0.1:9")).isEqualTo(RefusalLogLimiter.RefusalDecision.WRITE);
        assertThat(limiter.count("", "/10.0.0.1:9")).isEqualTo(RefusalLogLimiter.RefusalDecision.WRITE);
        nanos.addAndGet(MINUTE - 1);
        assertThat(limiter.takeEnded(false)).isEmpty();
        nanos.addAndGet(1);
        assertThat(limiter.takeEnded(false)).singleElement().satisfies(line -> {
            assertThat(line.principal()).isEqualTo("user/ann");
            assertThat(line.address()).isEqualTo("/10.0.0.1");
            assertThat(line.action()).isEqualTo("RefusalsSuppressed");
            assertThat(line.reason()).isEqualTo("2 further refusals within a minute");
        });
        assertThat(limiter.count("user/ann", "/10.0.0.1:9")).isEqualTo(RefusalLogLimiter.RefusalDecision.WRITE);
    }

    @Test
    void manyCallersShareOneLimit() {
        RefusalLogLimiter limiter = new RefusalLogLimiter(clock);
        long written = 0;
        for (int i = 0; i < Limits.AUDIT_REFUSED_CALLERS_MAX + 1_000; i++) {
            written += limiter.count("", "/host" + i + ":1") == RefusalLogLimiter.RefusalDecision.WRITE ? 1 : 0;
        }
        assertThat(written).isEqualTo(Limits.AUDIT_REFUSED_CALLERS_MAX + MOST);
        assertThat(limiter.count("", "/host0:1")).isEqualTo(RefusalLogLimiter.RefusalDecision.WRITE);
        assertThat(limiter.takeEnded(true))
                .singleElement()
                .satisfies(line -> assertThat(line.reason()).startsWith(1_000 - MOST + " further"));
    }

    @Test
    void aFloodTakesFewLinesAndItsNumberIsWritten(@TempDir Path directory) {
        AuditOptions options =
                new AuditOptions(directory, "s1", 1 << 20, 4, true, AuditOptions.FailurePolicy.REFUSE_CHANGES);
        try (AuditRecorder recorder =
                new AuditRecorder(Optional.of(AuditLog.open(options, SystemClock.INSTANCE)), clock)) {
            for (int i = 0; i < 10_000; i++) {
                recorder.refused("user/ann", "/10.0.0.1:1", "uniserve.Data/Query", "t", "lacks right READ");
                recorder.passwordRefused("user/invented" + i, "/10.0.0.2:" + i, "user or password is wrong");
            }
            nanos.addAndGet(MINUTE);
            recorder.refused("user/bob", "/10.0.0.3:1", "uniserve.Data/Query", "t", "lacks right READ");
            for (int i = 0; i < MOST + 3; i++) {
                recorder.refused("user/ann", "/10.0.0.1:1", "uniserve.Data/Query", "t", "lacks right READ");
            }
        }
        List<AuditRecord> lines = new AuditTail(directory, line -> true, fault -> {}).last(10_000);
        assertThat(lines).hasSize(2 * MOST + 2 + 1 + MOST + 1);
        assertThat(lines.stream()
                        .map(AuditRecord::event)
                        .filter(line -> line.action().equals("RefusalsSuppressed")))
                .extracting(AuditEvent::reason)
                .containsExactly(
                        10_000 - MOST + " further refusals within a minute",
                        10_000 - MOST + " further refusals within a minute",
                        "3 further refusals within a minute");
    }
}
