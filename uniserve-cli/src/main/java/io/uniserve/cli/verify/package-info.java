/** {@code uniserve verify}: comparison of the replicas of a table's actors. */
@NullMarked
package io.uniserve.cli.verify;

import org.jspecify.annotations.NullMarked;
