/** Blocking work on a bounded pool, completed on a loop. */
@NullMarked
package io.uniserve.runtime.async;

import org.jspecify.annotations.NullMarked;
