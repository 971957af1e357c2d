/** Metrics of the process: one Micrometer registry, with an HTTP listener for Prometheus and health checks if it is enabled. */
@NullMarked
package io.uniserve.runtime.metrics;

import org.jspecify.annotations.NullMarked;
