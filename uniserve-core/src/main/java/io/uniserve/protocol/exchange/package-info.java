/**
 * How what a scatter makes comes to the gather: single-threaded state machines without I/O. Producers keep chunks, consumers
 * ask for them, and the plan's owner says which runs of a scatter count.
 */
@NullMarked
package io.uniserve.protocol.exchange;

import org.jspecify.annotations.NullMarked;
