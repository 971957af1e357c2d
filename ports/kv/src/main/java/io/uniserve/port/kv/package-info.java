/** A small in-memory key-value engine as a port. */
@NullMarked
package io.uniserve.port.kv;

import org.jspecify.annotations.NullMarked;
