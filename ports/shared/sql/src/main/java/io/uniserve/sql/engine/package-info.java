/** What ports of column stores share: row actors, updates, JDBC queries, connections and shared tables. */
@NullMarked
package io.uniserve.sql.engine;

import org.jspecify.annotations.NullMarked;
