/** Twin of ZooKeeper: a linearizable store, followers that lag, sessions that expire, and operations with an unknown outcome. */
@NullMarked
package io.uniserve.simulator.registry;

import org.jspecify.annotations.NullMarked;
