/** Hand-written twins of the protocol's environment for unit tests: one thread, virtual time, no faults but those a test asks for. */
@NullMarked
package io.uniserve.protocol.testing;

import org.jspecify.annotations.NullMarked;
