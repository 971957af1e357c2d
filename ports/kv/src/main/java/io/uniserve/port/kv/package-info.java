/** Port of a small in-memory key-value engine. */
@NullMarked
package io.uniserve.port.kv;

import org.jspecify.annotations.NullMarked;
