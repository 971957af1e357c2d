/** Commands for the rights of users. */
@NullMarked
package io.uniserve.cli.access;

import org.jspecify.annotations.NullMarked;
