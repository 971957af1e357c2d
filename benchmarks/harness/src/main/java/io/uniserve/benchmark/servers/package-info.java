/** {@code bench servers}: what a query, a server and the coordinator cost as a cluster grows. */
@NullMarked
package io.uniserve.benchmark.servers;

import org.jspecify.annotations.NullMarked;
