/** {@code bench scaling}: a cluster of processes that adds and removes servers as the load changes. */
@NullMarked
package io.uniserve.benchmark.scaling;

import org.jspecify.annotations.NullMarked;
