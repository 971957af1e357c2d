/** {@code bench shardsets}: latency of queries that read several actors together, under different placement policies. */
@NullMarked
package io.uniserve.benchmark.shardsets;

import org.jspecify.annotations.NullMarked;
