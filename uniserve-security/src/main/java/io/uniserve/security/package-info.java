/** Private certificate authority of a cluster. */
@NullMarked
package io.uniserve.security;

import org.jspecify.annotations.NullMarked;
