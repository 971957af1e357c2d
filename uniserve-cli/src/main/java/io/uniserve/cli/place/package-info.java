/** {@code uniserve place} and {@code uniserve explain}: placement policies on files and on a running cluster. */
@NullMarked
package io.uniserve.cli.place;

import org.jspecify.annotations.NullMarked;
