/** Port of Apache Druid: each actor has Druid segments and rows in memory, and queries are Druid's native JSON or Druid SQL. */
@NullMarked
package io.uniserve.port.druid;

import org.jspecify.annotations.NullMarked;
