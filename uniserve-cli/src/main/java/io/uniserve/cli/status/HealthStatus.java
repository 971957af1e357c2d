package io.uniserve.cli.status;

import java.util.Optional;

/**
 * Knowledge about whether something works: it does, it does not, or that is not known. Only {@link State#OK} may be shown as ok.
 *
 * @param reason in one sentence; empty for {@link State#OK}
 */
record HealthStatus(State state, String reason) {
    static final HealthStatus OK = new HealthStatus(State.OK, "");

    /** The three answers, the best first. */
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

    boolean ok() {
        return state == State.OK;
    }

    /** The reason with what it means; empty where it is ok. */
    Optional<String> trouble() {
        return ok() ? Optional.empty() : Optional.of(state == State.UNKNOWN ? "unknown: " + reason : reason);
    }
}
