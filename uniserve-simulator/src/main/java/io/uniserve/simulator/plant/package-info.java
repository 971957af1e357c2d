/** Planted bugs, as twins that break their contract. The checker must find each. Production classes do not depend on them. */
@NullMarked
package io.uniserve.simulator.plant;

import org.jspecify.annotations.NullMarked;
