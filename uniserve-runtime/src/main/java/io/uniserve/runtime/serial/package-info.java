/** Operations that have no thread of their own: each runs its steps one at a time on whichever thread brings them. */
@NullMarked
package io.uniserve.runtime.serial;

import org.jspecify.annotations.NullMarked;
