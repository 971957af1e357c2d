/** Rolling upgrade of a cluster between two distributions, under load. */
@NullMarked
package io.uniserve.benchmark.upgrade;

import org.jspecify.annotations.NullMarked;
