/** New chunks of TIME tables at a server: fencing of readers with older maps. Single-threaded. */
@NullMarked
package io.uniserve.protocol.server.chunk;

import org.jspecify.annotations.NullMarked;
