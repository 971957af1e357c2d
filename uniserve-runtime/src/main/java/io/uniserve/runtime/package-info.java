/** Adapters between the pure protocol of the core and the world: network, ZooKeeper, files, clocks, configuration. */
@NullMarked
package io.uniserve.runtime;

import org.jspecify.annotations.NullMarked;
