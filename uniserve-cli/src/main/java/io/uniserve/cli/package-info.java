/** The uniserve command. */
@NullMarked
package io.uniserve.cli;

import org.jspecify.annotations.NullMarked;
