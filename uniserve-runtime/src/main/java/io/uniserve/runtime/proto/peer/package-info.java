/** Mapping of messages between servers and coordinators to protocol buffers. */
@NullMarked
package io.uniserve.runtime.proto.peer;

import org.jspecify.annotations.NullMarked;
