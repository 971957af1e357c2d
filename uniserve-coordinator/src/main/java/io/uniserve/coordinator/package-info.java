/** Coordinator daemon, which decides which server hosts which replica. */
@NullMarked
package io.uniserve.coordinator;

import org.jspecify.annotations.NullMarked;
