/**
 * gRPC transport: the server that passes requests to handlers, and the clients behind the protocol's network interfaces. Handlers are
 * called on transport threads and must not block. Requests are mapped there and then go to a loop or a worker pool, so a read needs
 * one thread switch. Generated classes are used only in this package and that of the wire format.
 */
@NullMarked
package io.uniserve.runtime.transport;

import org.jspecify.annotations.NullMarked;
