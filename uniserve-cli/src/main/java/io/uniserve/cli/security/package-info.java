/** Commands that make identities of processes and users. */
@NullMarked
package io.uniserve.cli.security;

import org.jspecify.annotations.NullMarked;
