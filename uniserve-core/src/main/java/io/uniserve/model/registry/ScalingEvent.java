package io.uniserve.model.registry;

import io.uniserve.limit.Limits;

/**
 * Decision of the auto-scaler with its effect.
 *
 * @param atMillis time by the leader's wall clock, in milliseconds since 1970
 * @param token token of the instance
 * @param action decision
 * @param reason reason of the decision
 * @param effect effect so far; empty while the decision is under way
 */
public record ScalingEvent(long atMillis, String token, Action action, String reason, String effect) {
    public ScalingEvent {
        ScalingInstance.requireToken(token);
        reason = bounded(reason);
        effect = bounded(effect);
    }

    /** The text, cut to {@link Limits#SCALING_REASON_CHARS_MAX} characters. */
    public static String bounded(String text) {
        int end = Math.min(text.length(), Limits.SCALING_REASON_CHARS_MAX);
        return text.substring(0, end > 0 && Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end);
    }

    /** Kind of decision. */
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
