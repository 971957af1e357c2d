/** Druid's own tests, run against a cluster of Uniserve, and the scoreboard of their outcomes. */
@NullMarked
package io.uniserve.port.druid.suite;

import org.jspecify.annotations.NullMarked;
