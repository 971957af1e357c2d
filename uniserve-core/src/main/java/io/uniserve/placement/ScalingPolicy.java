package io.uniserve.placement;

/**
 * Policy that chooses the number of servers of a running cluster (Uniserve paper, sections 4.5 and 6.2). A pure function: the same view
 * gives the same decision. Implementations need not be thread-safe; calls never overlap.
 *
 * <p>Example: {@code view -> view.meanCpu().orElse(0) > 0.7 ? ScalingDecision.add(1, "busy") : ScalingDecision.none("quiet")}.
 */
@FunctionalInterface
public interface ScalingPolicy {
    /**
     * The servers to add or to remove. The coordinator refuses a decision outside its limits, one that names a server which may not go, and
     * one that adds and removes at once; then nothing changes.
     */
    ScalingDecision decide(ScalingView view);
}
