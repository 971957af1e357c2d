/** Immutable values shared by everybody: names, identities, table definitions and the routing map. */
@NullMarked
package io.uniserve.model;

import org.jspecify.annotations.NullMarked;
