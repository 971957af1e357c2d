/** Floors of benchmarks: a bare gRPC server and fan-out, and bare writes to ZooKeeper, without Uniserve. */
@NullMarked
package io.uniserve.benchmark.floor;

import org.jspecify.annotations.NullMarked;
