/** Why an actor is where it is, and what else was possible. */
@NullMarked
package io.uniserve.balance.explain;

import org.jspecify.annotations.NullMarked;
