/** Druid's own services inside one process: mappers, macros, lookups, and the factories and buffers of its query types. */
@NullMarked
package io.uniserve.port.druid.runtime;

import org.jspecify.annotations.NullMarked;
