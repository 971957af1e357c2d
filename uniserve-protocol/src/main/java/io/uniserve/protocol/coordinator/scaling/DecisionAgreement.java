package io.uniserve.protocol.coordinator.scaling;

import io.uniserve.placement.ScalingDecision;
import java.util.Optional;

/** Hysteresis of decisions: agreement of consecutive periods, pauses after changes, and a longer pause before a change of direction. */
final class DecisionAgreement {
    private static final long SECOND = 1_000_000_000L;

    private final ScalingConfig config;
    private int direction;
    private int agreed;
    private boolean changed;
    private long changedNanos;
    private int lastDirection;
    private long lastDirectionNanos;

    DecisionAgreement(ScalingConfig config) {
        this.config = config;
    }

    /** Forgets the decisions of earlier periods. */
    void reset() {
        direction = 0;
        agreed = 0;
    }

    /** Notes a change of the number of servers, of any kind. */
    void onChange(long now) {
        reset();
        changed = true;
        changedNanos = now;
    }

    /** Notes that servers are being added. */
    void onAdded(long now) {
        onChange(now);
        lastDirection = 1;
        lastDirectionNanos = now;
    }

    /** Notes that a server has been removed. */
    void onRemoved(long now) {
        onChange(now);
        lastDirection = -1;
        lastDirectionNanos = now;
    }

    /** Reason why nothing changes now, independent of the decision; empty if there is none. */
    Optional<String> pauseReason(long now) {
        long left = config.pauseNanos() - (now - changedNanos);
        return changed && left > 0
                ? Optional.of("pauses for " + (left / SECOND + 1) + " s after the last change")
                : Optional.empty();
    }

    /**
     * Counts the decision of a period. Returns the reason why it must wait; empty if it may be carried out.
     *
     * @param servers number of servers
     */
    Optional<String> waitReason(ScalingDecision decision, int servers, long now) {
        int next = decision.add() > 0 ? 1 : decision.remove().isEmpty() ? 0 : -1;
        agreed = next == direction ? agreed + 1 : 1;
        direction = next;
        if (next > 0 && servers < config.serversMin()) {
            return Optional.empty();
        }
        Optional<String> pause = pauseReason(now);
        if (pause.isPresent()) {
            return pause;
        }
        long left = config.reversalNanos() - (now - lastDirectionNanos);
        if (next != 0 && lastDirection == -next && left > 0) {
            return Optional.of("waits for " + (left / SECOND + 1) + " s before a change of direction");
        }
        int required = next > 0 ? config.addPeriods() : config.removePeriods();
        return next != 0 && agreed < required
                ? Optional.of("waits for agreement of " + required + " periods, now " + agreed)
                : Optional.empty();
    }
}
