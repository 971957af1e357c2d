package io.uniserve.protocol.backup.ship;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.TreeMap;

/**
 * Current failures of one actor's backup, per step: the log, a checkpoint, the definition. A step without a reply for
 * {@link Limits#STORE_STALL_MS_MAX} counts as failed. It has no clock of its own: callers pass the time.
 */
final class BackupFailureTracker {
    private static final long MILLI = 1_000_000;

    private final TreeMap<String, Failure> failures = new TreeMap<>();
    private final TreeMap<String, Long> running = new TreeMap<>();

    /** A failure, with the time of its first occurrence. */
    private record Failure(long since, String reason) {}

    /** Starts a step, which {@link #onSucceeded} or {@link #onFailed} ends. */
    void onStarted(String what, long now) {
        running.putIfAbsent(what, now);
    }

    void onSucceeded(String what) {
        running.remove(what);
        failures.remove(what);
    }

    void onFailed(String what, long now, UniserveException error) {
        running.remove(what);
        Failure before = failures.get(what);
        failures.put(what, new Failure(before == null ? now : before.since(), error.getMessage()));
    }

    /** True if the step has had no reply for too long. */
    boolean isStalled(String what, long now) {
        Long since = running.get(what);
        return since != null && now - since >= Limits.STORE_STALL_MS_MAX * MILLI;
    }

    /** The progress, with the failure that has lasted longest. */
    BackupProgress progress(LogShippingState log, long shipped, long checkpoint, long now) {
        long since = now;
        String text = "";
        for (var entry : failures.entrySet()) {
            if (text.isEmpty() || entry.getValue().since() - since < 0) {
                since = entry.getValue().since();
                text = entry.getKey() + " cannot be stored: " + entry.getValue().reason();
            }
        }
        for (var entry : running.entrySet()) {
            if (isStalled(entry.getKey(), now) && (text.isEmpty() || entry.getValue() - since < 0)) {
                since = entry.getValue();
                text = entry.getKey() + ": durable storage does not answer";
            }
        }
        long millis = text.isEmpty() ? 0 : Math.max(1, (now - since) / MILLI);
        return new BackupProgress(log, shipped, checkpoint, millis, text);
    }
}
