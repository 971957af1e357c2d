/** The trash of a server: replicas of tables that the registry does not have. */
@NullMarked
package io.uniserve.protocol.server.trash;

import org.jspecify.annotations.NullMarked;
