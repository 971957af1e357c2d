/** A cluster of real processes on this machine, for tests, benchmarks and trials. */
@NullMarked
package io.uniserve.testkit.process;

import org.jspecify.annotations.NullMarked;
