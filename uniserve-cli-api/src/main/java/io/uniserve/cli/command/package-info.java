/** Base classes of subcommands of {@code uniserve}, and their console, options, errors and exit codes. */
@NullMarked
package io.uniserve.cli.command;

import org.jspecify.annotations.NullMarked;
