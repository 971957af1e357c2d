/** Commands for users with a password. */
@NullMarked
package io.uniserve.cli.user;

import org.jspecify.annotations.NullMarked;
