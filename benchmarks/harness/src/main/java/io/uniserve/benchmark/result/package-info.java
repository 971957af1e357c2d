/** Result of a bench, demo, simulation or chaos run: figures with goals, printed as one line of JSON. */
@NullMarked
package io.uniserve.benchmark.result;

import org.jspecify.annotations.NullMarked;
