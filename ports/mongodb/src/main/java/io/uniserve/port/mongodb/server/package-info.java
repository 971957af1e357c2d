/** MongoDB servers of engine instances: connections, claims of databases, child processes, and their errors. */
@NullMarked
package io.uniserve.port.mongodb.server;

import org.jspecify.annotations.NullMarked;
