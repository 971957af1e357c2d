/** Backup, restoration and rollback of tables as the coordinator runs them (docs/protocol.md, section 7). */
@NullMarked
package io.uniserve.protocol.coordinator.backup;

import org.jspecify.annotations.NullMarked;
