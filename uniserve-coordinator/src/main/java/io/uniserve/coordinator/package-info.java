/** The coordinator: the daemon that decides which server hosts which replica. */
@NullMarked
package io.uniserve.coordinator;

import org.jspecify.annotations.NullMarked;
