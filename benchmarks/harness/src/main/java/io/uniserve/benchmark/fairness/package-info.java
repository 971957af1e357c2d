/** {@code bench fairness}: latency of brief queries next to slow queries of another client. */
@NullMarked
package io.uniserve.benchmark.fairness;

import org.jspecify.annotations.NullMarked;
