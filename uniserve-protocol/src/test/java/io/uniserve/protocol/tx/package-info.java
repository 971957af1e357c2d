/** Tests of atomic updates: no threads, no I/O. */
@NullMarked
package io.uniserve.protocol.tx;

import org.jspecify.annotations.NullMarked;
