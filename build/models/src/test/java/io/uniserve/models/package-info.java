/** Checks of the protocol's TLA+ models: all invariants hold, and without any one rule TLC finds a counterexample. */
@NullMarked
package io.uniserve.models;

import org.jspecify.annotations.NullMarked;
