/** Druid SQL: statements planned by Druid's own planner, and executed by the native query runner. */
@NullMarked
package io.uniserve.port.druid.sql;

import org.jspecify.annotations.NullMarked;
