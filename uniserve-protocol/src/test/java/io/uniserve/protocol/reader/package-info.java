/** Tests of the client's machines, without threads: clock, timers, network and routing are hand-written twins. */
@NullMarked
package io.uniserve.protocol.reader;

import org.jspecify.annotations.NullMarked;
