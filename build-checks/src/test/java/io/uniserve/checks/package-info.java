/**
 * Rules about the code of all modules: who may depend on whom, where clocks and randomness live, and how long files and
 * methods may be. Each failure names the rule and what to use instead.
 */
@NullMarked
package io.uniserve.checks;

import org.jspecify.annotations.NullMarked;
