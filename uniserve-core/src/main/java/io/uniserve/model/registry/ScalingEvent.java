package io.uniserve.model.registry;

/**
 * Decision of the auto-scaler with its effect.
 *
 * @param atMillis time by the leader's wall clock, in milliseconds since 1970
 * @param token token of the instance
 * @param action what was decided
 * @param reason reason of the decision
 * @param effect what has come of it; empty while it is under way
 */
public record ScalingEvent(long atMillis, String token, Action action, String reason, String effect) {
    /** What the auto-scaler does with an instance. */
    public enum Action {
        /** Launches a server. */
        ADD,
        /** Drains and terminates a server. */
        REMOVE
    }

    /** The same with this effect. */
    public ScalingEvent withEffect(String text) {
        return new ScalingEvent(atMillis, token, action, reason, text);
    }
}
