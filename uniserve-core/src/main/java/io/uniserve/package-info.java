/** Uniserve: a distribution layer that turns a single-node query engine into a distributed query serving system. */
@NullMarked
package io.uniserve;

import org.jspecify.annotations.NullMarked;
