/**
 * Tests with random input from a seed. {@link io.uniserve.testkit.seed.SeededTest} runs a test for several seeds, and
 * {@link io.uniserve.testkit.seed.Seeded} passes one seed to an ordinary test. A failure has the seed and the command that replays it.
 */
@NullMarked
package io.uniserve.testkit.seed;

import org.jspecify.annotations.NullMarked;
