/** The checker: the protocol's invariants over what was seen of messages, registry, engines and clients. */
@NullMarked
package io.uniserve.testkit.simulation.check;

import org.jspecify.annotations.NullMarked;
