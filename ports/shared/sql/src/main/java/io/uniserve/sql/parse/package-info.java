/** Parsing and validation of SQL by Calcite: forms, functions and types that the planner supports. */
@NullMarked
package io.uniserve.sql.parse;

import org.jspecify.annotations.NullMarked;
