/** {@code uniserve verify}: whether the copies of a table's actors are equal. */
@NullMarked
package io.uniserve.cli.verify;

import org.jspecify.annotations.NullMarked;
