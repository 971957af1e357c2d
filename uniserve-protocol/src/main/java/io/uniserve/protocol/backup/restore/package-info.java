/** Restoration of a replica from durable storage: checkpoint, log and shipped versions (docs/protocol.md, section 7). */
@NullMarked
package io.uniserve.protocol.backup.restore;

import org.jspecify.annotations.NullMarked;
