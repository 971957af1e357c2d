/** The client side of the transport: channels, calls, the stream of reads and the routing subscription. */
@NullMarked
package io.uniserve.runtime.transport.client;

import org.jspecify.annotations.NullMarked;
