/** Operations of the client in flight, on the client's event loop. */
@NullMarked
package io.uniserve.client.operation;

import org.jspecify.annotations.NullMarked;
