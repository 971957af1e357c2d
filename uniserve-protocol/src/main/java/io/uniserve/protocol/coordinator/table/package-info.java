/** Operations on tables and servers: create, update, drop, verify and drain. */
@NullMarked
package io.uniserve.protocol.coordinator.table;

import org.jspecify.annotations.NullMarked;
