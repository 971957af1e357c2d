/** MongoDB servers of engine instances: connections, claims of databases, child processes, and their errors. */
@org.jspecify.annotations.NullMarked
package io.uniserve.port.mongodb.server;
