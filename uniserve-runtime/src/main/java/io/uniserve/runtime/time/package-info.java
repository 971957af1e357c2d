/** The only place that reads the machine's clock and draws random numbers. */
@NullMarked
package io.uniserve.runtime.time;

import org.jspecify.annotations.NullMarked;
