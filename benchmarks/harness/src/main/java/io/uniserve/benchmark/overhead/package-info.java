/** {@code bench overhead} and {@code bench statistics}: time that Uniserve adds to a bare gRPC fan-out, and CPU time of its statistics. */
@NullMarked
package io.uniserve.benchmark.overhead;

import org.jspecify.annotations.NullMarked;
