/**
 * Where replicas go: pure functions over views of the cluster, without I/O, clock or logger. This version has the initial
 * placer only; policies that move replicas by load plug into the same {@link io.uniserve.placement.PlacementPolicy}.
 */
@NullMarked
package io.uniserve.placement;

import org.jspecify.annotations.NullMarked;
