/** Chunks of TIME tables at the leader: their creation, their placement and their expiry. Single-threaded. */
@NullMarked
package io.uniserve.protocol.coordinator.chunk;

import org.jspecify.annotations.NullMarked;
