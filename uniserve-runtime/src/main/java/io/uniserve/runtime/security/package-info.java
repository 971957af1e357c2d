/** Identities of processes and users by their certificates, and who may call which method. */
@NullMarked
package io.uniserve.runtime.security;

import org.jspecify.annotations.NullMarked;
