/** Statistics in bounded memory. */
@NullMarked
package io.uniserve.stats;

import org.jspecify.annotations.NullMarked;
