/** Port of DuckDB: each actor is a table in its own database file, and queries are SQL. */
@NullMarked
package io.uniserve.port.duckdb;

import org.jspecify.annotations.NullMarked;
