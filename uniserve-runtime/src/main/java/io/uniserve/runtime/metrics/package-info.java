/** Metrics of the process: one Micrometer registry, told to Prometheus where the configuration asks for it. */
@NullMarked
package io.uniserve.runtime.metrics;

import org.jspecify.annotations.NullMarked;
