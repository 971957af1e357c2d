/** Twin of the engine host around a real port, with calls that are slow, fail or hang, and the read workers that check gates. */
@NullMarked
package io.uniserve.simulator.engine;

import org.jspecify.annotations.NullMarked;
