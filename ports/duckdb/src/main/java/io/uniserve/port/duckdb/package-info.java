/** Port of DuckDB: an actor is a table in a database file of its own, queries are SQL. */
@NullMarked
package io.uniserve.port.duckdb;

import org.jspecify.annotations.NullMarked;
