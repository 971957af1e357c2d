/** Clusters that are measured without and with automatic balancing, under a CPU quota per server, by clients that ask one hot part. */
@NullMarked
package io.uniserve.benchmark.balance;

import org.jspecify.annotations.NullMarked;
