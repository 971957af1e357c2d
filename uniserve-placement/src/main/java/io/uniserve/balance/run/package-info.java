/** Runs policies that may be anybody's, and keeps the old placement when they fail. */
@NullMarked
package io.uniserve.balance.run;

import org.jspecify.annotations.NullMarked;
