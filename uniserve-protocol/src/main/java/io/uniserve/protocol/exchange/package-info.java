/**
 * Exchange of chunks from scatters to gathers (a shuffle): single-threaded state machines without I/O. Producers store chunks, consumers
 * pull them, and the planning server decides which runs of a scatter count.
 */
@NullMarked
package io.uniserve.protocol.exchange;

import org.jspecify.annotations.NullMarked;
