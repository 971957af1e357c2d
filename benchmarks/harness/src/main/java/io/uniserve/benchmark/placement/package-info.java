/** {@code bench placement} and {@code simulate-cluster}: placement policies on generated instances and simulated workloads. */
@NullMarked
package io.uniserve.benchmark.placement;

import org.jspecify.annotations.NullMarked;
