/** {@code uniserve simulate}: the cluster's own state machines in virtual time, under faults, one history per seed. */
@NullMarked
package io.uniserve.benchmark.simulate;

import org.jspecify.annotations.NullMarked;
