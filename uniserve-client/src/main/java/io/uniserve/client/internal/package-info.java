/** The client's inside: how the pure machines of {@code io.uniserve.protocol.reader} meet threads, time and the transport. Not for applications. */
@NullMarked
package io.uniserve.client.internal;

import org.jspecify.annotations.NullMarked;
