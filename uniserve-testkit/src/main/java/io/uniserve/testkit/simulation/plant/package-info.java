/** Planted bugs, made by twins that break their contract: the checker must catch each. Production classes know nothing of them. */
@NullMarked
package io.uniserve.testkit.simulation.plant;

import org.jspecify.annotations.NullMarked;
