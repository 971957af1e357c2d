/** The network's twin: requests that are lost, late, handled twice, or whose answer never comes. */
@NullMarked
package io.uniserve.testkit.simulation.network;

import org.jspecify.annotations.NullMarked;
