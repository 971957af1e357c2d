/** Planted bugs of the auto-scaler. */
@NullMarked
package io.uniserve.simulator.plant.scaling;

import org.jspecify.annotations.NullMarked;
