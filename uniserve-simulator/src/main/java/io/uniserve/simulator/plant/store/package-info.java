/** Planted bugs of durable storage. */
@NullMarked
package io.uniserve.simulator.plant.store;

import org.jspecify.annotations.NullMarked;
