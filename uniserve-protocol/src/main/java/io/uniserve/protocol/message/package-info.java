/** Messages between servers, coordinators and clients: immutable records, independent of the transport. */
@NullMarked
package io.uniserve.protocol.message;

import org.jspecify.annotations.NullMarked;
