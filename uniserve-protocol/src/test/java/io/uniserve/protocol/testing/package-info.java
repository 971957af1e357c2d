/** Hand-written twins of the protocol's environment for unit tests: one thread, virtual time, and faults only on request of a test. */
@NullMarked
package io.uniserve.protocol.testing;

import org.jspecify.annotations.NullMarked;
