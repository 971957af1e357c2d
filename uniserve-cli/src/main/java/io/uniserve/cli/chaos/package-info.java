/** {@code uniserve chaos}: a cluster of real processes under faults, whose history is judged. */
@NullMarked
package io.uniserve.cli.chaos;

import org.jspecify.annotations.NullMarked;
