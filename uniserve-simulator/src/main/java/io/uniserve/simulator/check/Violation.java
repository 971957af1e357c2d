package io.uniserve.simulator.check;

/**
 * Violation of an invariant.
 *
 * @param invariant its code in the protocol, e.g. {@code I12}
 * @param virtualNanos virtual time of the detection
 */
public record Violation(String invariant, long virtualNanos, String message) {
    @Override
    public String toString() {
        return "%s at %.3f s: %s".formatted(invariant, virtualNanos / 1e9, message);
    }
}
