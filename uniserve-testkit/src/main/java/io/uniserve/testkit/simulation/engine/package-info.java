/** The engine host's twin around a real port, and the read workers that answer from gates: calls are slow, fail or hang. */
@NullMarked
package io.uniserve.testkit.simulation.engine;

import org.jspecify.annotations.NullMarked;
