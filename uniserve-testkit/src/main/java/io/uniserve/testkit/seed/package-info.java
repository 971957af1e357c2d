/**
 * Tests whose input is drawn from a seed. {@link io.uniserve.testkit.seed.SeededTest} runs a test for several seeds,
 * {@link io.uniserve.testkit.seed.Seeded} gives one to an ordinary test, and a failure says which seed it was and how to replay it.
 */
@NullMarked
package io.uniserve.testkit.seed;

import org.jspecify.annotations.NullMarked;
