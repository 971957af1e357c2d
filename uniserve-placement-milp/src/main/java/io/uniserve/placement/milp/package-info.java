/**
 * Placement as a mathematical program, solved by OR-Tools' CP-SAT: contention first, then moves at that contention. It is a separate module
 * because its native library is larger than all of Uniserve.
 */
@NullMarked
package io.uniserve.placement.milp;

import org.jspecify.annotations.NullMarked;
