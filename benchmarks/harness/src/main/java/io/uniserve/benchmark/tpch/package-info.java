/** {@code bench tpch}: TPC-H on a cluster with a SQL port, on Spark SQL, and on the bare engine. */
@NullMarked
package io.uniserve.benchmark.tpch;

import org.jspecify.annotations.NullMarked;
