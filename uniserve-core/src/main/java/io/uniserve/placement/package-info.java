/**
 * Placement of replicas: pure functions over views of the cluster, without I/O, clock or logger. A
 * {@link io.uniserve.placement.PlacementPolicy} places new tables and replaces lost replicas. A
 * {@link io.uniserve.placement.RebalancePolicy} chooses moves on a running cluster.
 */
@NullMarked
package io.uniserve.placement;

import org.jspecify.annotations.NullMarked;
