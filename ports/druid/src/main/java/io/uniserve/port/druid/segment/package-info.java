/** Actors of the Druid port: segments in files, rows in memory that will become segments, and the table's schema. */
@NullMarked
package io.uniserve.port.druid.segment;

import org.jspecify.annotations.NullMarked;
