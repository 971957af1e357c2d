/** Daemons as real processes of this machine: start, readiness, kill, stop and continue by signal. */
@NullMarked
package io.uniserve.testkit.process;

import org.jspecify.annotations.NullMarked;
