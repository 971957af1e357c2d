/** Spark SQL in a process of its own, as {@code bench tpch} measures it. */
@NullMarked
package io.uniserve.benchmark.spark;

import org.jspecify.annotations.NullMarked;
