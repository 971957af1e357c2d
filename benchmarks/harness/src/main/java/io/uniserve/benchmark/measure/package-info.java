/** Shared code of benchmarks: alternating measurement of two sides, latencies, CPU, and raw output. */
@NullMarked
package io.uniserve.benchmark.measure;

import org.jspecify.annotations.NullMarked;
