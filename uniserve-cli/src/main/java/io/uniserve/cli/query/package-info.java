/** {@code uniserve query}. */
@NullMarked
package io.uniserve.cli.query;

import org.jspecify.annotations.NullMarked;
