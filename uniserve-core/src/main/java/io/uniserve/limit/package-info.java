/** All limits of the system, by name. */
@NullMarked
package io.uniserve.limit;

import org.jspecify.annotations.NullMarked;
