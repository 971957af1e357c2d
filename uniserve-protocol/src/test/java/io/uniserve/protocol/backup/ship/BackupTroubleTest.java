package io.uniserve.protocol.backup.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import org.junit.jupiter.api.Test;

class BackupTroubleTest {
    private static final long MILLI = 1_000_000;
    private final UniserveException full = new UniserveException(ErrorCode.DISK_FULL, "no room");
    private final BackupFailureTracker trouble = new BackupFailureTracker();

    @Test
    void aFailureLastsSinceTheFirstUntilItWorks() {
        trouble.onFailed("the log", 10 * MILLI, full);
        trouble.onFailed("the log", 500 * MILLI, full);
        BackupProgress progress = trouble.progress(LogShippingState.IDLE, 7, 5, 1_010 * MILLI);
        assertThat(progress.failingMillis()).isEqualTo(1_000);
        assertThat(progress.failure()).contains("the log cannot be stored", "DISK_FULL", "no room");
        assertThat(progress.shipped()).isEqualTo(7);
        trouble.onSucceeded("the log");
        assertThat(trouble.progress(LogShippingState.IDLE, 7, 5, 2_000 * MILLI))
                .isEqualTo(new BackupProgress(LogShippingState.IDLE, 7, 5, 0, ""));
    }

    @Test
    void theLongestOfSeveralIsReported() {
        trouble.onFailed("the log", 900 * MILLI, full);
        trouble.onFailed("the checkpoint", 400 * MILLI, full);
        assertThat(trouble.progress(LogShippingState.IDLE, 0, 0, 1_000 * MILLI).failure())
                .startsWith("the checkpoint");
        assertThat(trouble.progress(LogShippingState.IDLE, 0, 0, 1_000 * MILLI).failingMillis())
                .isEqualTo(600);
    }

    @Test
    void storageThatDoesNotAnswerFailsToo() {
        long limit = Limits.STORE_STALL_MS_MAX * MILLI;
        trouble.onStarted("the log", 0);
        trouble.onStarted("the log", limit / 2);
        assertThat(trouble.progress(LogShippingState.IDLE, 0, 0, limit - 1).failingMillis())
                .isZero();
        assertThat(trouble.progress(LogShippingState.IDLE, 0, 0, limit).failure())
                .isEqualTo("the log: durable storage does not answer");
        trouble.onSucceeded("the log");
        assertThat(trouble.progress(LogShippingState.IDLE, 0, 0, 2 * limit).failingMillis())
                .isZero();
    }
}
