/** How a port turns its engine's own query language into operators over tables. */
@NullMarked
package io.uniserve.api.plan;

import org.jspecify.annotations.NullMarked;
