/**
 * gRPC: the server that hands requests to handlers, and the clients behind the protocol's network interfaces. Handlers are
 * called on transport threads and must not block; requests are mapped there and then go to a loop or a worker pool, so
 * that a read costs one hop. Nothing outside this package and the wire format's sees a generated class.
 */
@NullMarked
package io.uniserve.runtime.transport;

import org.jspecify.annotations.NullMarked;
