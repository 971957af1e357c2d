/** {@code uniserve query} and {@code uniserve sql}. */
@NullMarked
package io.uniserve.cli.query;

import org.jspecify.annotations.NullMarked;
