/**
 * Matrix of SQL statements over column types and values, for ports with typed columns. {@link io.uniserve.testkit.sql.SqlMatrix} generates
 * tables and statements. {@link io.uniserve.testkit.sql.MatrixComparison} compares a port's answers with those of a reference engine.
 */
@NullMarked
package io.uniserve.testkit.sql;

import org.jspecify.annotations.NullMarked;
