/** The interfaces through which the protocol's state machines meet the world: clock, timers, network, registry (ZooKeeper), disk, object store and engine. The simulator and the daemons implement the same ones. */
@NullMarked
package io.uniserve.protocol.env;

import org.jspecify.annotations.NullMarked;
