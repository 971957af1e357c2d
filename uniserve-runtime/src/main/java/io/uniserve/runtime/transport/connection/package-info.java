/** Connections of callers to a listening port: their threads, age and certificates. */
@NullMarked
package io.uniserve.runtime.transport.connection;

import org.jspecify.annotations.NullMarked;
