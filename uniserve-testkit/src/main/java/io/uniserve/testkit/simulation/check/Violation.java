package io.uniserve.testkit.simulation.check;

/**
 * An invariant that did not hold.
 *
 * @param invariant its name in the protocol, e.g. {@code I12}
 * @param virtualNanos when it was noticed
 */
public record Violation(String invariant, long virtualNanos, String message) {
    @Override
    public String toString() {
        return "%s at %.3f s: %s".formatted(invariant, virtualNanos / 1e9, message);
    }
}
