/**
 * Configuration. {@code reference.conf} is manual and schema in one: it gives every option with its unit and default, and a
 * key it does not have is refused with the nearest one it has. Settings are immutable records, checked when they are read.
 */
@NullMarked
package io.uniserve.runtime.config;

import org.jspecify.annotations.NullMarked;
