/** Port of Apache Druid: each actor is a set of Druid segments, and queries are Druid's native JSON or SQL. */
@NullMarked
package io.uniserve.port.druid;

import org.jspecify.annotations.NullMarked;
