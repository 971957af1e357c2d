/**
 * Rules for the code of all modules: permitted dependencies, the place of clocks and randomness, and the maximum length of files and
 * methods. Each failure names the rule and the alternative.
 */
@NullMarked
package io.uniserve.checks;

import org.jspecify.annotations.NullMarked;
