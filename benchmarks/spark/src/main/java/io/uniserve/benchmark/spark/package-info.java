/** Spark SQL in a process of its own, as a peer of {@code bench tpch}. */
@NullMarked
package io.uniserve.benchmark.spark;

import org.jspecify.annotations.NullMarked;
