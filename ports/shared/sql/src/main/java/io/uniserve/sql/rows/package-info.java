/** Rows and columns between actors and planner: types, codecs, packed rows and errors. */
@NullMarked
package io.uniserve.sql.rows;

import org.jspecify.annotations.NullMarked;
