/** Charts of results as SVG files. */
@NullMarked
package io.uniserve.benchmark.chart;

import org.jspecify.annotations.NullMarked;
