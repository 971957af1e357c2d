/**
 * The protocol: single-threaded state machines that act only through {@code io.uniserve.protocol.env}, so that the
 * simulator and the daemons run the very same code.
 */
@NullMarked
package io.uniserve.protocol;

import org.jspecify.annotations.NullMarked;
