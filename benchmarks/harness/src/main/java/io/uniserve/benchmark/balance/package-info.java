/** Clusters that are measured under automatic balancing and a CPU quota per server, by clients in a closed or an open loop. */
@NullMarked
package io.uniserve.benchmark.balance;

import org.jspecify.annotations.NullMarked;
