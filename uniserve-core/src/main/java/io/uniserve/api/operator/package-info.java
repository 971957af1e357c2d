/** The parallel operators a port offers over its actors. */
@NullMarked
package io.uniserve.api.operator;

import org.jspecify.annotations.NullMarked;
