package io.uniserve.cli.status;

import java.util.Optional;

/**
 * Health of a component: works, does not work, or unknown. Only {@link State#OK} may be shown as ok.
 *
 * @param reason in one sentence; empty for {@link State#OK}
 */
record HealthStatus(State state, String reason) {
    static final HealthStatus OK = new HealthStatus(State.OK, "");

    /** The three states, the best first. */
    enum State {
        OK,
        UNKNOWN,
        FAILED
    }

    static HealthStatus failed(String reason) {
        return new HealthStatus(State.FAILED, reason);
    }

    static HealthStatus unknown(String reason) {
        return new HealthStatus(State.UNKNOWN, reason);
    }

    boolean isOk() {
        return state == State.OK;
    }

    /** Returns the reason, prefixed with "unknown" if so; empty if the state is ok. */
    Optional<String> problem() {
        return isOk() ? Optional.empty() : Optional.of(state == State.UNKNOWN ? "unknown: " + reason : reason);
    }
}
