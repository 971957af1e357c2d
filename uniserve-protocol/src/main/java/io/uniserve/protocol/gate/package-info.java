/**
 * Read gates: conditions under which a replica may answer, published by the server's event loop and checked by its read threads
 * (docs/protocol.md, section 4).
 */
@NullMarked
package io.uniserve.protocol.gate;

import org.jspecify.annotations.NullMarked;
