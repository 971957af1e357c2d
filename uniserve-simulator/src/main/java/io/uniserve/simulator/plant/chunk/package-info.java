/** Planted bugs of atomic tables that are partitioned by time. */
@NullMarked
package io.uniserve.simulator.plant.chunk;

import org.jspecify.annotations.NullMarked;
