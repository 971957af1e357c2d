/**
 * Interfaces between the protocol's state machines and the outside: clock, timers, network, registry (ZooKeeper), disk, object store and
 * engine. The daemons and the simulator both implement them.
 */
@NullMarked
package io.uniserve.protocol.env;

import org.jspecify.annotations.NullMarked;
