/** Execution of third-party policies, which keeps the old placement if they fail. */
@NullMarked
package io.uniserve.placement.run;

import org.jspecify.annotations.NullMarked;
