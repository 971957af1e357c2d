/** Explanations of an actor's place and its alternatives. */
@NullMarked
package io.uniserve.placement.explain;

import org.jspecify.annotations.NullMarked;
