/** Limits of placement. */
@NullMarked
package io.uniserve.placement.limit;

import org.jspecify.annotations.NullMarked;
