/** Election of the leading coordinator, and the registry fenced by its term (docs/protocol.md, section 6). */
@NullMarked
package io.uniserve.protocol.coordinator.election;

import org.jspecify.annotations.NullMarked;
