/** The server side of the transport: gRPC services, authorization, replies and the routing push. */
@NullMarked
package io.uniserve.runtime.transport.server;

import org.jspecify.annotations.NullMarked;
