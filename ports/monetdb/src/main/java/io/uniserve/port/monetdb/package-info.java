/** Port of MonetDBLite: an actor is a table of the process's database, rows have versions, queries are SQL. */
@NullMarked
package io.uniserve.port.monetdb;

import org.jspecify.annotations.NullMarked;
