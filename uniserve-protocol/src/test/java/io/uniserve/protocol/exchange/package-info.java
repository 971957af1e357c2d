/** Tests of the exchange without I/O and threads. */
@NullMarked
package io.uniserve.protocol.exchange;

import org.jspecify.annotations.NullMarked;
