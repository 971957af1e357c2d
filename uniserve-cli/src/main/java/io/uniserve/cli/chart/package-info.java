/** Charts of results as SVG files. */
@NullMarked
package io.uniserve.cli.chart;

import org.jspecify.annotations.NullMarked;
