/** Metrics of the process: one Micrometer registry, with an HTTP server for Prometheus if it is enabled. */
@NullMarked
package io.uniserve.runtime.metrics;

import org.jspecify.annotations.NullMarked;
