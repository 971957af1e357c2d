package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.placement.ChunkPolicy;

/**
 * Placement of new chunks of a coordinator.
 *
 * @param name name of the policy in the configuration
 * @param policy pure function that chooses servers
 * @param periodNanos period between two collections of loads
 */
public record ChunkSetup(String name, ChunkPolicy policy, long periodNanos) {}
