/** Actors of the Druid port: segments in files, rows in memory that become segments later, and the table's schema. */
@NullMarked
package io.uniserve.port.druid.segment;

import org.jspecify.annotations.NullMarked;
