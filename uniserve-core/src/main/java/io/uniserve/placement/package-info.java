/**
 * Where replicas go: pure functions over views of the cluster, without I/O, clock or logger. A {@link
 * io.uniserve.placement.PlacementPolicy} places new tables and makes up for lost replicas, a {@link
 * io.uniserve.placement.RebalancePolicy} says what should move on a running cluster.
 */
@NullMarked
package io.uniserve.placement;

import org.jspecify.annotations.NullMarked;
