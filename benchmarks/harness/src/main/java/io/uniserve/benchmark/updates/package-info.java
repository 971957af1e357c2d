/** {@code bench updates}: atomic updates, compared with a bare engine behind a log and with bare writes to ZooKeeper. */
@NullMarked
package io.uniserve.benchmark.updates;

import org.jspecify.annotations.NullMarked;
