/** {@code uniserve simulate}: the cluster's own state machines in virtual time, under faults, one history per seed. */
@NullMarked
package io.uniserve.cli.simulate;

import org.jspecify.annotations.NullMarked;
