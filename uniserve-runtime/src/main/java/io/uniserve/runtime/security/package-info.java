/** Identities of processes and users by their certificates. */
@NullMarked
package io.uniserve.runtime.security;

import org.jspecify.annotations.NullMarked;
