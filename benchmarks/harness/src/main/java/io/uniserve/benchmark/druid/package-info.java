/** {@code uniserve bench druid}: the Druid port beside native Druid. Both have the same rows in the same chunks of time, in processes of their own. */
@NullMarked
package io.uniserve.benchmark.druid;

import org.jspecify.annotations.NullMarked;
