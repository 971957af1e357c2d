/** {@code uniserve chaos}: a cluster of real processes under faults, with a check of the recorded history. */
@NullMarked
package io.uniserve.benchmark.chaos;

import org.jspecify.annotations.NullMarked;
