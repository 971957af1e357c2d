/** Shared code of ports for column stores: row actors, updates, JDBC queries, connections and shared tables. */
@NullMarked
package io.uniserve.sql.engine;

import org.jspecify.annotations.NullMarked;
