/** Configuration and environment of the coordinator's machines. */
@NullMarked
package io.uniserve.protocol.coordinator.context;

import org.jspecify.annotations.NullMarked;
