/** Reads rows to load from JSON lines, CSV and lines of text. */
@NullMarked
package io.uniserve.cli.load;

import org.jspecify.annotations.NullMarked;
