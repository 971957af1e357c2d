/** Execution of operations without a thread of their own: the steps of each run one at a time on the submitting threads. */
@NullMarked
package io.uniserve.runtime.serial;

import org.jspecify.annotations.NullMarked;
