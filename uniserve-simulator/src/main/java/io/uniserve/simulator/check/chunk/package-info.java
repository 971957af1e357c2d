/** Checks of atomic tables that are partitioned by time. */
@NullMarked
package io.uniserve.simulator.check.chunk;

import org.jspecify.annotations.NullMarked;
