/** Adapters of the core's protocol to the environment: network, ZooKeeper, files, clocks, configuration. */
@NullMarked
package io.uniserve.runtime;

import org.jspecify.annotations.NullMarked;
