/** Explanations of an actor's place and its alternatives. */
@NullMarked
package io.uniserve.balance.explain;

import org.jspecify.annotations.NullMarked;
