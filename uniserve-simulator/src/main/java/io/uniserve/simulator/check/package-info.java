/** Checks of the protocol's invariants against messages, registry, engines and clients' histories. */
@NullMarked
package io.uniserve.simulator.check;

import org.jspecify.annotations.NullMarked;
