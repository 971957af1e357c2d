/** Demonstration: a cluster of real processes that loses a server under load and still answers correctly. */
@NullMarked
package io.uniserve.benchmark.demo;

import org.jspecify.annotations.NullMarked;
