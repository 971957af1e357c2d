/** Immutable values that servers, coordinators and clients share: names, identities, table definitions and the routing map. */
@NullMarked
package io.uniserve.model;

import org.jspecify.annotations.NullMarked;
