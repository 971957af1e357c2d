/** What benchmarks share: two sides measured in turn, their latencies and CPU, and the raw output. */
@NullMarked
package io.uniserve.cli.bench.measure;

import org.jspecify.annotations.NullMarked;
