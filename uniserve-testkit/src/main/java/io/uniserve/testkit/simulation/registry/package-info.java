/** ZooKeeper's twin: a linearizable store, followers that lag, sessions that expire, operations whose outcome nobody knows. */
@NullMarked
package io.uniserve.testkit.simulation.registry;

import org.jspecify.annotations.NullMarked;
