/** Druid SQL: Druid's own planner translates statements, and the native query runner executes their queries. */
@NullMarked
package io.uniserve.port.druid.sql;

import org.jspecify.annotations.NullMarked;
