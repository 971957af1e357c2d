/**
 * The protocol: single-threaded state machines that act only through {@code io.uniserve.protocol.env}. So the simulator and the daemons run
 * the same code.
 */
@NullMarked
package io.uniserve.protocol;

import org.jspecify.annotations.NullMarked;
