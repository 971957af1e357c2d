/**
 * Placement as a mathematical program, solved by OR-Tools' CP-SAT: contention first, then moves at that contention. Apart from
 * the other policies since its native library weighs more than all of Uniserve.
 */
@NullMarked
package io.uniserve.balance.milp;

import org.jspecify.annotations.NullMarked;
